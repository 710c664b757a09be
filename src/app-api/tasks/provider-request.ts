import type { ExAppRequest } from '../client/ex-app-client.js';
import type { Task } from './tasks.repository.js';

/**
 * What a provider's handler is sent for a task. It answers at once and reports the result later,
 * by the task's number. A recording goes as `recordingUpload` instead.
 */
export function providerRequest(task: Task, actionHandler: string): ExAppRequest {
  return {
    method: 'POST',
    route: actionHandler,
    userId: task.userId,
    json: { ...task.input, task_id: task.id, max_execution_time: task.secondsLeft },
  };
}
