import { z } from 'zod';
import { wholeNumberThat } from '../../../common/http/loose-inputs.js';
import type { TaskState } from './ex-app-task.entity.js';
import type { Task } from './tasks.repository.js';

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
const STATUS_OF_STATE: Readonly<Record<TaskState, number>> = {
  uploading: 1,
  queued: 1,
  running: 2,
  done: 3,
  failed: 4,
};

/** The fields of all kinds of tasks, under the names of Nextcloud. */
export function toTaskJson(task: Task) {
  return {
    id: task.id,
    status: STATUS_OF_STATE[task.state],
    userId: task.userId,
    appId: task.note['appId'] ?? '',
    identifier: task.note['identifier'] ?? '',
    output: task.state === 'done' ? task.result : null,
    errorMessage: task.error === '' ? null : task.error,
    progress: task.progress,
    completionExpectedAt: null,
    scheduledAt: task.createdSeconds,
    startedAt: task.startedSeconds,
    endedAt: task.finishedSeconds,
  };
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
