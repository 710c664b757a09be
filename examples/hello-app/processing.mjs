import { setTimeout as pause } from 'node:timers/promises';
import { ocs } from './gateway.mjs';

/** A task type that this app brings, and its provider. The keys of slots are their names. */
const TYPE = 'hello-app:echo';
const PROVIDER = 'hello-app:echo:hills';
const TEXT = 1;
const NUMBER = 0;

export const ECHO_REGISTRATION = {
  provider: {
    id: PROVIDER,
    name: 'Hello hills',
    task_type: TYPE,
    expected_runtime: 5,
    optional_input_shape: [],
    optional_output_shape: [],
    input_shape_enum_values: {},
    optional_input_shape_enum_values: {},
    output_shape_enum_values: {},
    optional_output_shape_enum_values: {},
    input_shape_defaults: { times: 3 },
    optional_input_shape_defaults: {},
  },
  customTaskType: {
    id: TYPE,
    name: 'Echo',
    description: 'Repeats a text.',
    input_shape: [
      { name: 'text', description: 'What to call', shape_type: TEXT },
      { name: 'times', description: 'How often it comes back', shape_type: NUMBER },
    ],
    output_shape: [{ name: 'echo', description: 'What comes back', shape_type: TEXT }],
  },
};

export const ECHO_KEY = { name: PROVIDER };

/** Fetches and does the tasks that wait. Called by the gateway's trigger whenever there is a new one. */
export async function workOnTasks() {
  const wish = new URLSearchParams({ 'providerIds[]': PROVIDER, 'taskTypeIds[]': TYPE });
  for (;;) {
    const next = await ocs('GET', `/taskprocessing/tasks_provider/next?${wish}`);
    if (next === null) {
      return;
    }
    const { id, input } = next.task;
    const report = (what, body) =>
      ocs('POST', `/taskprocessing/tasks_provider/${id}/${what}`, body);
    await report('progress', { progress: 0.5 });
    const echo = Array.from({ length: Math.min(input.times, 100) }, () => input.text).join(' … ');
    await report('result', { output: { echo } });
  }
}

/** Schedules a task for a user; any app may do that, and another app provides the type. */
export async function echoFor(userId, text) {
  const wish = { type: TYPE, appId: 'hello-app', input: { text } };
  let { task } = await ocs('POST', '/taskprocessing/schedule', wish, userId);
  while (!['STATUS_SUCCESSFUL', 'STATUS_FAILED', 'STATUS_CANCELLED'].includes(task.status)) {
    await pause(100);
    ({ task } = await ocs('GET', `/taskprocessing/task/${task.id}`, undefined, userId));
  }
  return task.output?.echo ?? '';
}
