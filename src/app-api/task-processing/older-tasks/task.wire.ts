import { z } from 'zod';
import { wholeNumberThat } from '../../../common/http/loose-inputs.js';
import type { ProcessingState, ProcessingTask } from '../queue/processing-task.entity.js';
import { HOST } from './older-tasks.service.js';

export const text = z.string({ error: 'must be a text' });

/** Empty if absent or null. */
export const looseText = z.preprocess((value) => value ?? '', text);

export const taskId = wholeNumberThat((int) => int.nonnegative());

/** Filters of the list of the caller's tasks. */
export const OwnTasks = z.object({
  appId: text.optional(),
  identifier: z.preprocess((value) => value || undefined, text.optional()),
});

export const TaskPath = z.object({ id: taskId });

/** The status codes of Nextcloud; 0 would be "unknown". */
const STATUS_OF_STATE: Readonly<Record<ProcessingState, number>> = {
  uploading: 1,
  scheduled: 1,
  running: 2,
  successful: 3,
  failed: 4,
  cancelled: 4,
};

/** The fields of all kinds of tasks, under the names of Nextcloud. */
export function toTaskJson(task: ProcessingTask) {
  const { state, consumer, progress, output } = task;
  const percent = progress === null ? null : progress * 100;
  return {
    id: task.olderId,
    status: STATUS_OF_STATE[state],
    userId: task.userId,
    appId: consumer === HOST ? '' : consumer,
    identifier: task.customId ?? '',
    output: state === 'successful' ? (output?.['output'] ?? null) : null,
    errorMessage: errorOf(task),
    // A provider that is called reports whole numbers.
    progress: percent && (task.calledAppId === null ? Math.floor(percent) : Math.round(percent)),
    completionExpectedAt: null,
    scheduledAt: task.scheduledSeconds,
    startedAt: task.startedSeconds,
    endedAt: task.endedSeconds,
  };
}

function errorOf({ state, userError }: ProcessingTask): string | null {
  switch (state) {
    case 'failed':
      return userError ?? 'The external app could not do the task.';
    case 'cancelled':
      return 'The task was cancelled.';
    default:
      return null;
  }
}

const seconds = z.int().describe('Unix seconds.');

export const taskFields = {
  id: z.int(),
  status: z.int().describe('1 waits, 2 runs, 3 is done, 4 has failed.'),
  userId: z.string().nullable(),
  appId: z.string(),
  identifier: z.string(),
  output: z.unknown(),
  errorMessage: z.string().nullable(),
  progress: z.number().nullable(),
  completionExpectedAt: z.null(),
  scheduledAt: seconds,
  startedAt: seconds.nullable(),
  endedAt: seconds.nullable(),
};
