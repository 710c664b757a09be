import type { TaskState } from './ex-app-task.entity.js';
import type { Task } from './tasks.sql.js';

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
