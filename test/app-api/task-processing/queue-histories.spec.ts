import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import assert from 'node:assert/strict';
import { ExAppsRepository } from '../../../src/app-api/apps/ex-apps.repository.js';
import { TaskQueue } from '../../../src/app-api/task-processing/queue/task-queue.service.js';
import { Config } from '../../../src/common/config/config.js';
import {
  knowApp,
  startExternalApp,
  type ExternalApp,
  type OcsAnswer,
} from '../../support/external-app.js';
import { Random } from '../../support/histories/random.js';
import { histories } from '../../support/long.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import {
  noticesHeard,
  scheduleTask,
  taskIn,
  TaskWorker,
  type TaskJson,
} from '../../support/task-worker.js';

/*
 * Random histories of tasks, of two apps that provide the same type, at two processes, against a model:
 * no task is lost, claimed by two at a time, or ended twice, no matter what apps and administrators do.
 */

const SEEDS = Array.from({ length: histories(1, 6) }, (_, n) => n + 1);
const STEPS = 40;
const TYPE = 'core:text2text:headline';
const APPS = ['writer', 'editor'] as const;
const USERS = ['ada', 'bob', 'cleo'];
const MOST_ATTEMPTS = 3;

type AppId = (typeof APPS)[number];
type State = 'scheduled' | 'running' | 'successful' | 'failed' | 'cancelled';

interface ModelTask {
  readonly state: State;
  /** The app that claimed it last. */
  readonly appId: AppId | null;
  readonly attempts: number;
  readonly output: string | null;
}

let gateway: TestApp;
let elsewhere: TestApp;
const externals: ExternalApp[] = [];
const workers = new Map<string, TaskWorker>();
/** Ids of tasks in the order of their ends, as listeners hear of them. */
const heardEnds: number[] = [];

beforeAll(async () => {
  gateway = await startApp();
  elsewhere = await startApp({ DATABASE_URL: gateway.inside(Config).databaseUrl ?? '' });
  for (const process of [gateway, elsewhere]) {
    process.inside(TaskQueue).onEnd(async ({ id }) => void heardEnds.push(id));
    for (const appId of APPS) {
      const external = await startExternalApp(process, { appId });
      externals.push(external);
      workers.set(`${appId} ${process === gateway}`, new TaskWorker(external));
    }
  }
  for (const external of externals.slice(0, APPS.length)) {
    await knowApp(gateway, external);
  }
});
afterAll(async () => {
  await Promise.all(externals.map((external) => external.close()));
  await elsewhere.stop();
  await gateway.stop();
});

class History {
  readonly #random: Random;
  readonly #tasks = new Map<number, ModelTask>();
  readonly #enabled = new Set<AppId>(APPS);
  /** Oldest registration first. */
  #registered: AppId[] = [];
  #outputs = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  async begin(): Promise<void> {
    for (const appId of APPS) {
      await this.#enable(appId);
      await this.#register(appId);
    }
  }

  async step(): Promise<string> {
    const steps = [
      () => this.#schedule(),
      () => this.#schedule(),
      () => this.#claim(),
      () => this.#claim(),
      () => this.#claim(),
      () => this.#progress(),
      () => this.#result(),
      () => this.#result(),
      () => this.#twoResults(),
      () => this.#endLeases(),
      () => this.#disableOrEnable(),
      () => this.#unregisterOrRegister(),
      () => this.#cancel(),
      () => this.#remove(),
    ];
    return (this.#random.pick(steps) ?? (() => this.#schedule()))();
  }

  model(): object {
    return Object.fromEntries(this.#tasks);
  }

  async stored(): Promise<object> {
    const rows = await gateway.database.query<ModelTask & { id: number }>(
      `select id, state, app_id as "appId", attempts, output ->> 'output' as output
         from processing_task order by id`,
    );
    return Object.fromEntries(rows.map(({ id, ...task }) => [id, task]));
  }

  ended(): number[] {
    return [...this.#tasks].filter(([, task]) => hasEnded(task)).map(([id]) => id);
  }

  /** Everything works again, and the rest is done. */
  async finish(): Promise<void> {
    for (const appId of APPS) {
      await this.#enable(appId);
      if (!this.#registered.includes(appId)) {
        await this.#register(appId);
      }
    }
    await gateway.database.query(
      `update processing_task set lease_until = now() - interval '1 second'
        where state = 'running'`,
    );
    await gateway.inside(TaskQueue).lookAfter();
    const appId = this.#preferred() ?? 'writer';
    const worker = workerOf(appId);
    for (let task = await worker.next(); task !== null; task = await worker.next()) {
      await worker.result(task.id, { output: 'finished' });
    }
  }

  async #schedule(): Promise<string> {
    const count = 1 + this.#random.below(3);
    for (let n = 0; n < count; n += 1) {
      const userId = this.#random.pick(USERS) ?? 'ada';
      const { id } = await scheduleTask(this.#process(), { type: TYPE, userId });
      this.#tasks.set(id, { state: 'scheduled', appId: null, attempts: 0, output: null });
    }
    return `schedules ${count}`;
  }

  /** Several workers of several apps at once. */
  async #claim(): Promise<string> {
    const claims = Array.from({ length: 1 + this.#random.below(5) }, () => this.#anApp());
    await Promise.all([noticesHeard(gateway), noticesHeard(elsewhere)]);
    const polls = claims.map((appId) => this.#enabledWorker(appId));
    const claimed = await Promise.all(polls.map((worker) => worker?.next() ?? null));
    const preferred = this.#preferred();
    const waitingBefore = this.#idsIn('scheduled').length;
    const got = claimed.filter((task): task is TaskJson => task !== null);

    assert.equal(new Set(got.map(({ id }) => id)).size, got.length);
    for (const [nth, task] of claimed.entries()) {
      if (task !== null) {
        assert.equal(claims[nth], preferred);
        assert.equal(this.#tasks.get(task.id)?.state, 'scheduled');
        const { attempts = 0 } = this.#tasks.get(task.id) ?? {};
        this.#change(task.id, {
          state: 'running',
          appId: claims[nth] ?? null,
          attempts: attempts + 1,
        });
      }
    }
    const asked = claims.filter((appId) => appId === preferred).length;
    assert.equal(got.length, Math.min(asked, waitingBefore));
    return `claims ${got.length}`;
  }

  async #progress(): Promise<string> {
    const [id, appId] = [this.#anId(), this.#anApp()];
    const task = this.#tasks.get(id);
    const answer = await workerOf(appId, this.#isHere()).progress(id, this.#random.next());
    if (this.#isRefused(answer, task, appId) || task === undefined) {
      return `progress of ${id} is refused`;
    }
    if (!hasEnded(task)) {
      this.#change(id, { state: 'running' });
    }
    assert.equal(taskIn(answer).status, statusOf(this.#tasks.get(id)));
    return `progress of ${id}`;
  }

  async #result(): Promise<string> {
    const [id, appId] = [this.#anId(), this.#anApp()];
    const task = this.#tasks.get(id);
    const text = this.#text();
    const kind = this.#random.pick(['fits', 'fits', 'nonsense', 'error', 'nothing'] as const);
    const worker = workerOf(appId, this.#isHere());
    const answer =
      kind === 'error'
        ? await worker.report(id, 'result', { output: null, errorMessage: 'no memory left' })
        : await worker.result(
            id,
            { fits: { output: text }, nonsense: [text], nothing: null }[kind ?? 'fits'],
          );
    if (this.#isRefused(answer, task, appId) || task === undefined) {
      return `result of ${id} is refused`;
    }
    if (!hasEnded(task) && kind !== 'nothing') {
      const succeeds = kind === 'fits';
      this.#change(id, {
        state: succeeds ? 'successful' : 'failed',
        ...(succeeds && { output: text }),
      });
    }
    assert.equal(taskIn(answer).status, statusOf(this.#tasks.get(id)));
    return `result of ${id}: ${kind}`;
  }

  /** The first one counts, whichever that is. */
  async #twoResults(): Promise<string> {
    const id = this.#random.pick(this.#idsIn('running'));
    const task = id === undefined ? undefined : this.#tasks.get(id);
    if (id === undefined || !task?.appId) {
      return 'no task is running';
    }
    const worker = workerOf(task.appId);
    const texts = [this.#text(), this.#text()];
    const answers = await Promise.all(texts.map((text) => worker.result(id, { output: text })));
    const [output, ...others] = new Set(
      answers.map((answer) => String(taskIn(answer).output?.['output'])),
    );
    assert.deepEqual(others, []);
    assert(texts.includes(output ?? ''));
    this.#change(id, { state: 'successful', output: output ?? null });
    return `two results of ${id}`;
  }

  async #endLeases(): Promise<string> {
    const ids = this.#idsIn('running').filter(() => this.#random.chance(0.5));
    await gateway.database.query(
      `update processing_task set lease_until = now() - interval '1 second'
        where id = any ($1::bigint[])`,
      [ids],
    );
    // Both processes look at the same time.
    await Promise.all([gateway, elsewhere].map((one) => one.inside(TaskQueue).lookAfter()));
    for (const id of ids) {
      const isLost = (this.#tasks.get(id)?.attempts ?? 0) >= MOST_ATTEMPTS;
      this.#change(id, { state: isLost ? 'failed' : 'scheduled' });
    }
    return `leases of ${ids.join()} end`;
  }

  async #disableOrEnable(): Promise<string> {
    const appId = this.#anApp();
    if (!this.#enabled.has(appId)) {
      await this.#enable(appId);
      return `enables ${appId}`;
    }
    await this.#process().inside(ExAppsRepository).setEnabled(appId, false);
    this.#enabled.delete(appId);
    this.#giveBack(appId);
    return `disables ${appId}`;
  }

  async #enable(appId: AppId): Promise<void> {
    await this.#process().inside(ExAppsRepository).setEnabled(appId, true);
    this.#enabled.add(appId);
  }

  async #unregisterOrRegister(): Promise<string> {
    const appId = this.#anApp();
    if (!this.#enabled.has(appId)) {
      return `${appId} is disabled`;
    }
    if (!this.#registered.includes(appId)) {
      await this.#register(appId);
      return `registers ${appId}`;
    }
    await workerOf(appId).unregister(`${appId}:one`);
    this.#registered = this.#registered.filter((one) => one !== appId);
    this.#giveBack(appId);
    return `unregisters ${appId}`;
  }

  async #register(appId: AppId): Promise<void> {
    for (const isHere of [true, false]) {
      await workerOf(appId, isHere).register(`${appId}:one`, TYPE);
    }
    this.#registered.push(appId);
  }

  async #cancel(): Promise<string> {
    const id = this.#anId();
    await this.#process().inside(TaskQueue).cancel(id);
    const task = this.#tasks.get(id);
    if (task !== undefined && !hasEnded(task)) {
      this.#change(id, { state: 'cancelled' });
    }
    return `cancels ${id}`;
  }

  async #remove(): Promise<string> {
    const id = this.#anId();
    await gateway.database.query('delete from processing_task where id = $1', [id]);
    this.#tasks.delete(id);
    return `removes ${id}`;
  }

  /** Whether the app is refused as it should be: it is disabled, or the task is none of its own. */
  #isRefused(answer: OcsAnswer, task: ModelTask | undefined, appId: AppId): boolean {
    if (!this.#enabled.has(appId)) {
      assert.equal(answer.httpStatus, 401);
      return true;
    }
    const isForeign = task?.appId !== appId;
    assert.equal(answer.statuscode, isForeign ? 404 : 200);
    return isForeign;
  }

  #giveBack(appId: AppId): void {
    for (const [id, task] of this.#tasks) {
      if (task.appId === appId && !hasEnded(task)) {
        const attempts = task.state === 'running' ? task.attempts - 1 : task.attempts;
        this.#change(id, { state: 'scheduled', appId: null, attempts: Math.max(attempts, 0) });
      }
    }
  }

  #change(id: number, change: Partial<ModelTask>): void {
    const task = this.#tasks.get(id);
    if (task === undefined) {
      throw new Error(`The model has no task ${id}.`);
    }
    this.#tasks.set(id, { ...task, ...change });
  }

  #preferred(): AppId | undefined {
    return this.#registered.find((appId) => this.#enabled.has(appId));
  }

  #enabledWorker(appId: AppId): TaskWorker | null {
    return this.#enabled.has(appId) ? workerOf(appId, this.#isHere()) : null;
  }

  #idsIn(state: State): number[] {
    return [...this.#tasks].filter(([, task]) => task.state === state).map(([id]) => id);
  }

  /** Usually one that exists. */
  #anId(): number {
    return this.#random.pick([...this.#tasks.keys(), 999_999]) ?? 999_999;
  }

  #anApp(): AppId {
    return this.#random.pick(APPS) ?? 'writer';
  }

  #isHere(): boolean {
    return this.#random.chance(0.5);
  }

  #process(): TestApp {
    return this.#isHere() ? gateway : elsewhere;
  }

  #text(): string {
    this.#outputs += 1;
    return `text ${this.#outputs}`;
  }
}

function workerOf(appId: AppId, isHere = true): TaskWorker {
  const worker = workers.get(`${appId} ${isHere}`);
  if (worker === undefined) {
    throw new Error(`There is no worker of ${appId}.`);
  }
  return worker;
}

function hasEnded({ state }: ModelTask): boolean {
  return state !== 'scheduled' && state !== 'running';
}

function statusOf(task: ModelTask | undefined): string {
  return `STATUS_${(task?.state ?? 'unknown').toUpperCase()}`;
}

describe.each(SEEDS)('history %i of tasks', (seed) => {
  it('goes as the model does, and every task ends once', async () => {
    await gateway.database.query('delete from processing_task');
    await gateway.database.query('delete from ex_app_registration');
    heardEnds.length = 0;
    const history = new History(seed);
    await history.begin();
    const past: string[] = [];

    for (let step = 0; step < STEPS; step += 1) {
      past.push(await history.step());
      expect([past.at(-1), await history.stored()]).toEqual([past.at(-1), history.model()]);
    }
    expect(new Set(heardEnds).size).toBe(heardEnds.length);
    expect(heardEnds).toEqual(expect.arrayContaining(history.ended()));

    await history.finish();
    const left = Object.values(await history.stored()) as ModelTask[];
    expect(left.filter((task) => !hasEnded(task))).toEqual([]);
    expect(new Set(heardEnds).size).toBe(heardEnds.length);
  });
});
