import type { JobKind } from '../../database/jobs/job-kind.js';

export interface AssistanceJob {
  readonly assistanceId: number;
}

/** Translations and texts. Keys are user ids. */
export const TEXT_JOBS: JobKind<AssistanceJob> = {
  name: 'news-assistance',
  deadlineSeconds: 3 * 3600,
  retryDelaySeconds: 1,
  longestRetryDelaySeconds: 10,
  attemptSeconds: 3600,
  parallel: 4,
  // Leaves room for other users.
  parallelPerGroup: 2,
};

/** A separate queue: they take long and hold a whole recording in memory. */
export const TRANSCRIPT_JOBS: JobKind<AssistanceJob> = {
  name: 'news-transcript',
  deadlineSeconds: 5 * 3600,
  retryDelaySeconds: 1,
  longestRetryDelaySeconds: 10,
  attemptSeconds: 2 * 3600,
  parallel: 1,
};
