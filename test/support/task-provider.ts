import { toOcs, type ExternalApp, type OcsAnswer } from './external-app.js';
import { found } from './until.js';

/** A task as providers see it. */
export interface ProvidedTask {
  readonly id: number;
  readonly type: string;
  readonly status: string;
  readonly userId: string | null;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The calls of a provider of task processing, in the way of the SDK. */
export interface TaskProviderCalls {
  /** The next task, or null. */
  next(): Promise<ProvidedTask | null>;
  /** Asks until there is a task. */
  awaitTask(): Promise<ProvidedTask>;
  progress(task: ProvidedTask, share: number): Promise<OcsAnswer>;
  succeed(task: ProvidedTask, output: object): Promise<OcsAnswer>;
  fail(task: ProvidedTask, message: string): Promise<OcsAnswer>;
}

const TASKS = '/ocs/v2.php/taskprocessing/tasks_provider';

/** Languages of a translation's provider: value to name. */
export type LanguageNames = Readonly<Record<string, string>>;

/** Registers one provider `APP:TYPE` for each type. */
export async function provideTasks(
  app: ExternalApp,
  types: readonly string[],
  languages: { readonly from: LanguageNames; readonly to: LanguageNames } = { from: {}, to: {} },
): Promise<TaskProviderCalls> {
  for (const type of types) {
    const isTranslation = type === 'core:text2text:translate';
    const detects = isTranslation && 'detect_language' in languages.from;
    const answer = await app.as().ocs('POST', '/api/v1/ai_provider/task_processing', {
      json: {
        provider: {
          id: `${app.appId}:${type}`,
          name: `It for ${type}`,
          task_type: type,
          expected_runtime: 10,
          optional_input_shape: [],
          optional_output_shape: [],
          input_shape_enum_values: isTranslation
            ? { origin_language: named(languages.from), target_language: named(languages.to) }
            : {},
          optional_input_shape_enum_values: {},
          output_shape_enum_values: {},
          optional_output_shape_enum_values: {},
          input_shape_defaults: detects ? { origin_language: 'detect_language' } : {},
          optional_input_shape_defaults: {},
        },
        customTaskType: null,
      },
    });
    if (answer.httpStatus !== 200 || answer.status !== 'ok') {
      throw new Error(`${type}: ${answer.message}`);
    }
  }
  const providerIds = types.map((type) => `${app.appId}:${type}`);
  const next = async () => {
    const json = { providerIds, taskTypeIds: types };
    const answer = await app.as().call('GET', `${TASKS}/next`, { json });
    return answer.status === 204 ? null : (toOcs(answer).data as { task: ProvidedTask }).task;
  };
  const report = async ({ id: taskId }: ProvidedTask, what: string, json: object) =>
    toOcs(await app.as().call('POST', `${TASKS}/${taskId}/${what}`, { json: { taskId, ...json } }));
  return {
    next,
    awaitTask: () => found(`a task of ${app.appId}`, next),
    progress: (task, progress) => report(task, 'progress', { progress }),
    succeed: (task, output) => report(task, 'result', { output, errorMessage: null }),
    fail: (task, message) =>
      report(task, 'result', { errorMessage: message, userFacingErrorMessage: message }),
  };
}

function named(languages: LanguageNames): object[] {
  return Object.entries(languages).map(([value, name]) => ({ name, value }));
}
