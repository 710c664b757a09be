import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OwnTasksService } from '../../../src/app-api/task-processing/consumers/own-tasks.service.js';
import { knowApp, startExternalApp, type ExternalApp } from '../../support/external-app.js';
import { Random } from '../../support/histories/random.js';
import { describeLong, histories } from '../../support/long.js';
import { SdkApp, type SdkTask } from '../../support/sdk-app.js';
import { startApp, type TestApp } from '../../support/start-app.js';

/*
 * Generated histories of two users and two apps without a user, who schedule, cancel and delete tasks while
 * a provider works on them, against a model in memory: who sees which task, in which state, what is kept,
 * and what is refused.
 */

const MOST_UNFINISHED = 3;
const MOST_ENDED = 4;
const TYPE = 'core:text2text';
const UNKNOWN = 4_000_000;

let gateway: TestApp;
let worker: SdkApp;
const apps: ExternalApp[] = [];

beforeAll(async () => {
  gateway = await startApp({
    GATEFOLD_LIMITS: `tasks-per-user=${MOST_UNFINISHED} tasks-kept-per-user=${MOST_ENDED} tasks-per-user-and-two-minutes=100000`,
  });
  for (const appId of ['worker', 'alpha', 'beta']) {
    const app = await startExternalApp(gateway, { appId });
    apps.push(app);
    await knowApp(gateway, app);
  }
  worker = new SdkApp(appNamed('worker'));
  await worker.register({ id: 'worker:one', task_type: TYPE });
});
afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()));
  await gateway.stop();
});

function appNamed(appId: string): ExternalApp {
  const app = apps.find((one) => one.appId === appId);
  if (app === undefined) {
    throw new Error(`There is no app ${appId}.`);
  }
  return app;
}

/** One who schedules tasks, by the routes of users or of apps. */
interface Owner {
  readonly sdk: SdkApp;
  readonly root: string;
}

interface ModelTask {
  readonly id: number;
  state: 'SCHEDULED' | 'RUNNING' | 'SUCCESSFUL' | 'FAILED' | 'CANCELLED';
}

const ENDED = new Set(['SUCCESSFUL', 'FAILED', 'CANCELLED']);

class OwnerModel {
  /** Oldest first. */
  tasks: ModelTask[] = [];

  get isFull(): boolean {
    return this.tasks.filter(({ state }) => !ENDED.has(state)).length >= MOST_UNFINISHED;
  }

  add(id: number): void {
    const ended = this.tasks.filter(({ state }) => ENDED.has(state));
    const excess = new Set(ended.slice(0, Math.max(0, ended.length - (MOST_ENDED - 1))));
    this.tasks = [...this.tasks.filter((task) => !excess.has(task)), { id, state: 'SCHEDULED' }];
  }

  find(id: number): ModelTask | undefined {
    return this.tasks.find((task) => task.id === id);
  }

  shown(): readonly string[] {
    return this.tasks.map(({ id, state }) => `${id} STATUS_${state}`).toReversed();
  }
}

const statusOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (data) => data,
    (error: { statusCode?: number }) => error.statusCode ?? Promise.reject(error as Error),
  );

/** What the service answered to a step, and what the model expects. */
interface Step {
  readonly answered: unknown;
  readonly expected: unknown;
}

/** The status of a refusal; else `fine`. */
const outcome = (answer: unknown): unknown => (typeof answer === 'number' ? answer : 'fine');

class History {
  #running: number[] = [];

  constructor(
    private readonly random: Random,
    private readonly owners: readonly Owner[],
    private readonly models = owners.map(() => new OwnerModel()),
  ) {}

  async step(): Promise<Step> {
    const action = this.random.next();
    if (action < 0.15) {
      return this.#claim();
    }
    if (action < 0.3) {
      return this.#report();
    }
    const place = this.random.below(this.owners.length);
    const [owner, model] = [this.owners[place], this.models[place]];
    if (owner === undefined || model === undefined) {
      throw new Error('There is no such owner.');
    }
    if (action < 0.7) {
      return this.#schedule(owner, model);
    }
    if (action < 0.87) {
      return this.#cancel(owner, model);
    }
    return action < 0.96 ? this.#remove(owner, model) : this.#tidy();
  }

  /** What each owner sees. */
  async shown(): Promise<Step> {
    const answered: unknown[] = [];
    for (const { sdk, root } of this.owners) {
      const { tasks } = (await sdk.ocs('GET', `${root}/tasks`)) as { tasks: SdkTask[] };
      answered.push(tasks.map((task) => `${task.id} ${task.status}`));
    }
    return { answered, expected: this.models.map((model) => model.shown()) };
  }

  async #schedule({ sdk, root }: Owner, model: OwnerModel): Promise<Step> {
    const wish = { type: TYPE, appId: 'spec', input: { input: 'a' } };
    const expected = model.isFull ? 429 : 'fine';
    const answer = await statusOf(sdk.ocs('POST', `${root}/schedule`, wish));
    if (typeof answer !== 'number') {
      model.add((answer as { task: SdkTask }).task.id);
    }
    return { answered: outcome(answer), expected };
  }

  async #claim(): Promise<Step> {
    const waiting = this.#all().filter(({ state }) => state === 'SCHEDULED');
    const next = await worker.nextTask(['worker:one'], [TYPE]);
    const claimed = waiting.find(({ id }) => id === next?.task.id);
    if (claimed !== undefined) {
      claimed.state = 'RUNNING';
      this.#running.push(claimed.id);
    }
    const given = claimed === undefined ? 'another one' : 'a waiting one';
    return {
      answered: next === null ? 'none' : given,
      expected: waiting.length === 0 ? 'none' : 'a waiting one',
    };
  }

  /** Also late and repeated ones. */
  async #report(): Promise<Step> {
    const id = this.random.pick(this.#running) ?? UNKNOWN;
    const task = this.#all().find((one) => one.id === id);
    const isSuccess = this.random.chance(0.7);
    const [output, error] = isSuccess ? [{ output: 'a' }, null] : [null, 'b'];
    const answer = await statusOf(worker.reportResult(id, output, error));
    if (task?.state === 'RUNNING') {
      task.state = isSuccess ? 'SUCCESSFUL' : 'FAILED';
    }
    return { answered: outcome(answer), expected: task === undefined ? 404 : 'fine' };
  }

  /** Also those of others. */
  async #cancel({ sdk, root }: Owner, model: OwnerModel): Promise<Step> {
    const id = this.#any();
    const task = model.find(id);
    const answer = await statusOf(sdk.ocs('POST', `${root}/tasks/${id}/cancel`));
    if (task !== undefined && !ENDED.has(task.state)) {
      task.state = 'CANCELLED';
    }
    return { answered: outcome(answer), expected: task === undefined ? 404 : 'fine' };
  }

  async #remove({ sdk, root }: Owner, model: OwnerModel): Promise<Step> {
    const id = this.#any();
    const answered = await statusOf(sdk.ocs('DELETE', `${root}/task/${id}`));
    model.tasks = model.tasks.filter((task) => task.id !== id);
    return { answered, expected: null };
  }

  async #tidy(): Promise<Step> {
    await gateway.inside(OwnTasksService).tidy();
    return { answered: null, expected: null };
  }

  #all(): ModelTask[] {
    return this.models.flatMap(({ tasks }) => tasks);
  }

  #any(): number {
    return this.random.pick(this.#all())?.id ?? UNKNOWN;
  }
}

describeLong('tasks of several owners', () => {
  it.each(Array.from({ length: histories(1, 3) }, (_, n) => n + 1))(
    'are as in the model: history %i',
    async (seed) => {
      await gateway.database.query('delete from processing_task');
      const [ada, bob] = [await gateway.signIn(), await gateway.signIn()];
      const users = [ada, bob].map(({ credentials }) => ({
        sdk: new SdkApp(appNamed('alpha')).as(credentials.userId),
        root: '/ocs/v1.php/taskprocessing',
      }));
      const themselves = ['alpha', 'beta'].map((appId) => ({
        sdk: new SdkApp(appNamed(appId)),
        root: '/ocs/v2.php/taskprocessing/tasks_consumer',
      }));
      const history = new History(new Random(seed), [...users, ...themselves]);

      for (let step = 0; step < 60; step += 1) {
        const { answered, expected } = await history.step();
        expect({ step, answered }).toEqual({ step, answered: expected });
        const shown = await history.shown();
        expect({ step, shown: shown.answered }).toEqual({ step, shown: shown.expected });
      }
    },
  );
});
