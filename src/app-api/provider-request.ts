import type { ExAppRequest } from './client/ex-app-client.js';
import type { Task } from './store/tasks.repository.js';

/**
 * What a provider's handler is sent for a task. It answers at once and reports the result later,
 * by the task's number.
 *
 * @param file the recording, for speech
 */
export async function providerRequest(
  task: Task,
  actionHandler: string,
  file: Uint8Array | null,
): Promise<ExAppRequest> {
  const request = { method: 'POST', route: actionHandler, userId: task.userId } as const;
  const limits = { task_id: task.id, max_execution_time: task.secondsLeft };
  if (task.kind !== 'speech_to_text') {
    return { ...request, json: { ...task.input, ...limits } };
  }
  const { body, contentType } = await asForm(task, file ?? new Uint8Array());
  return {
    ...request,
    query: {
      task_id: String(limits.task_id),
      max_execution_time: String(limits.max_execution_time),
    },
    headers: { 'content-type': contentType },
    body,
  };
}

async function asForm({ input }: Task, file: Uint8Array) {
  const form = new FormData();
  const recording = new Blob([new Uint8Array(file)], { type: input['mime'] ?? '' });
  form.append('data', recording, input['filename'] ?? 'recording');
  // Whoever sends a form has to name the boundary that it was written with.
  const written = new Response(form);
  return {
    body: new Uint8Array(await written.arrayBuffer()),
    contentType: written.headers.get('content-type') ?? '',
  };
}
