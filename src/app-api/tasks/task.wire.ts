import type { TaskState } from './ex-app-task.entity.js';
import type { Task } from './tasks.sql.js';

/** As clients of the host know them; 0 would be "unknown". */
const STATUS_OF_STATE: Readonly<Record<TaskState, number>> = {
  uploading: 1,
  queued: 1,
  running: 2,
  done: 3,
  failed: 4,
};

/** What all kinds of tasks have in common, in the words that clients of the host know. */
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

/** What administrators see of a task: not what it is about. */
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
