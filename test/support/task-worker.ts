import type {
  NewProcessingTask,
  ProcessingTask,
} from '../../src/app-api/task-processing/queue/processing-task.entity.js';
import { ProcessingTasksRepository } from '../../src/app-api/task-processing/queue/processing-tasks.repository.js';
import { TaskQueue } from '../../src/app-api/task-processing/queue/task-queue.service.js';
import { DatabaseNotices } from '../../src/database/notices/notices.js';
import type { Answer } from './api-client.js';
import { toOcs, type ExternalApp, type OcsAnswer } from './external-app.js';
import type { TestApp } from './start-app.js';
import { within } from './until.js';

/** A task as apps get it. */
export interface TaskJson {
  readonly id: number;
  readonly type: string;
  readonly status: string;
  readonly userId: string | null;
  readonly progress: number | null;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>> | null;
  readonly userFacingErrorMessage: string | null;
}

/** What the SDK sends to register a provider. */
export function aProvider(id: string, typeId: string) {
  return {
    id,
    name: `Provider ${id}`,
    task_type: typeId,
    expected_runtime: 0,
    optional_input_shape: [],
    optional_output_shape: [],
    input_shape_enum_values: {},
    optional_input_shape_enum_values: {},
    output_shape_enum_values: {},
    optional_output_shape_enum_values: {},
    input_shape_defaults: {},
    optional_input_shape_defaults: {},
  };
}

const PROVIDERS = '/api/v1/ai_provider/task_processing';
const TASKS = '/ocs/v2.php/taskprocessing/tasks_provider';

/** The worker of an app with providers: asks for tasks and reports as the SDK does. */
export class TaskWorker {
  readonly #typeOfProvider = new Map<string, string>();

  constructor(readonly app: ExternalApp) {}

  async register(providerId: string, typeId: string, fields: object = {}): Promise<void> {
    const provider = { ...aProvider(providerId, typeId), ...fields };
    const { statuscode } = await this.app.as().ocs('POST', PROVIDERS, { json: { provider } });
    if (statuscode !== 100) {
      throw new Error(`The provider ${providerId} was not registered: ${statuscode}`);
    }
    this.#typeOfProvider.set(providerId, typeId);
  }

  async unregister(providerId: string): Promise<void> {
    await this.app.as().ocs('DELETE', PROVIDERS, { query: { name: providerId } });
  }

  /** Asks with JSON in the body of a GET. */
  poll(what: 'next' | 'next_batch' = 'next', more: object = {}): Promise<Answer> {
    return this.app.as().call('GET', `${TASKS}/${what}`, {
      json: {
        providerIds: [...this.#typeOfProvider.keys()],
        taskTypeIds: [...new Set(this.#typeOfProvider.values())],
        ...more,
      },
    });
  }

  /** @returns null if there is none */
  async next(): Promise<TaskJson | null> {
    const answer = await this.poll();
    return answer.status === 204 ? null : taskIn(toOcs(answer));
  }

  async progress(taskId: number, progress: number): Promise<OcsAnswer> {
    return this.report(taskId, 'progress', { taskId, progress });
  }

  async result(taskId: number, output: unknown): Promise<OcsAnswer> {
    return this.report(taskId, 'result', { taskId, output });
  }

  async report(taskId: number, what: string, body: object): Promise<OcsAnswer> {
    return toOcs(await this.app.as().call('POST', `${TASKS}/${taskId}/${what}`, { json: body }));
  }
}

export function taskIn({ data }: Pick<OcsAnswer, 'data'>): TaskJson {
  return (data as { task: TaskJson }).task;
}

/** Schedules a task as a consumer does, without the consumer's limits. */
export async function scheduleTask(
  gateway: TestApp,
  task: Pick<NewProcessingTask, 'type'> & Partial<NewProcessingTask>,
): Promise<ProcessingTask> {
  const queue = gateway.inside(TaskQueue);
  const scheduled = await gateway.database.transaction((tx) =>
    gateway.inside(ProcessingTasksRepository).create(tx, {
      state: 'scheduled',
      userId: 'ada',
      consumer: 'news',
      customId: null,
      input: { input: 'A long text' },
      fileIds: [],
      includeWatermark: true,
      preferStreaming: false,
      webhook: null,
      expectedSeconds: 0,
      older: null,
      calledAppId: null,
      providerId: null,
      maxSeconds: 24 * 3600,
      ...task,
    }),
  );
  queue.announce(scheduled);
  return scheduled;
}

/** The stored task. */
export async function storedTask(gateway: TestApp, id: number): Promise<ProcessingTask> {
  const task = await gateway.inside(ProcessingTasksRepository).find(id);
  if (task === null) {
    throw new Error(`There is no task ${id}.`);
  }
  return task;
}

let fences = 0;

/** Resolves when the process has heard everything that was committed before. */
export async function noticesHeard(gateway: TestApp): Promise<void> {
  const notices = gateway.inside(DatabaseNotices);
  const mark = String((fences += 1));
  const { promise, resolve } = Promise.withResolvers<void>();
  await notices.listen('heard_until', {
    heard: (heard) => void (heard === mark && resolve()),
    resumed: () => {},
  });
  await notices.announce('heard_until', mark, gateway.database);
  await within('a notice of this process', promise);
}
