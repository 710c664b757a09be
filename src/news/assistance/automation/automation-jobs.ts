import type { JobKind } from '../../../database/jobs/job-kind.js';

/** The requests of one task: a summary, or titles to translate together. */
export interface AutomaticTask {
  readonly userId: string;
  readonly kind: AutomaticKind;
  readonly assistanceIds: readonly number[];
}

export type AutomaticKind = 'title' | 'summary';

/** Beside the jobs that users asked for, so that those do not wait. Keys are user ids. */
export const AUTOMATIC_TASKS: JobKind<AutomaticTask> = {
  name: 'news-automatic-task',
  deadlineSeconds: 6 * 3600,
  retryDelaySeconds: 1,
  longestRetryDelaySeconds: 10,
  attemptSeconds: 3600,
  parallel: 3,
  // Leaves room for other users.
  parallelPerGroup: 1,
};
