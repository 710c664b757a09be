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

/** For administrators: without input and result, which may be private. */
export function toWatchedTaskJson(task: Task) {
  return {
    id: task.id,
    kind: task.kind,
    app_id: task.appId,
    provider: task.providerName,
    user_id: task.userId,
    state: task.state,
    progress: task.progress,
    error: task.error,
    created_at: task.createdSeconds,
    started_at: task.startedSeconds,
    finished_at: task.finishedSeconds,
  };
}
