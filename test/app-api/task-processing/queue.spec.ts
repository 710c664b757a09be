import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ExAppsRepository } from '../../../src/app-api/apps/ex-apps.repository.js';
import { LifecycleRepository } from '../../../src/app-api/apps/lifecycle/lifecycle.repository.js';
import { TaskQueue } from '../../../src/app-api/task-processing/queue/task-queue.service.js';
import { TaskTriggers } from '../../../src/app-api/task-processing/queue/task-triggers.service.js';
import { Clock } from '../../../src/common/clock.js';
import { Config } from '../../../src/common/config/config.js';
import { json, knowApp, startExternalApp, type ExternalApp } from '../../support/external-app.js';
import { itLong } from '../../support/long.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { statementsDuring } from '../../support/statements.js';
import {
  noticesHeard,
  scheduleTask,
  storedTask,
  taskIn,
  TaskWorker,
} from '../../support/task-worker.js';

const HEADLINE = 'core:text2text:headline';
const SUMMARY = 'core:text2text:summary';

let gateway: TestApp;
/** Another process on the same database. */
let elsewhere: TestApp;
beforeAll(async () => {
  gateway = await startApp({ GATEFOLD_LIMITS: 'tasks-running-per-app=5' });
  elsewhere = await startApp({ DATABASE_URL: gateway.inside(Config).databaseUrl ?? '' });
});
afterAll(async () => {
  await elsewhere.stop();
  await gateway.stop();
});

let worker: TaskWorker;
let started: ExternalApp[];
beforeEach(async () => {
  started = [];
  worker = await aWorker('writer');
  await worker.register('writer:headlines', HEADLINE);
});
afterEach(async () => {
  Reflect.deleteProperty(gateway.inside(Clock), 'now');
  await gateway.database.query('delete from processing_task');
  for (const { appId, close } of started) {
    await close();
    await gateway.database.query('delete from ex_app where app_id = $1', [appId]);
  }
});

async function aWorker(appId: string): Promise<TaskWorker> {
  const app = await startExternalApp(gateway, { appId });
  app.on('/trigger', json({}));
  started.push(app);
  await knowApp(gateway, app);
  return new TaskWorker(app);
}

const aHeadline = (userId = 'ada') => scheduleTask(gateway, { type: HEADLINE, userId });

const endLeases = () =>
  gateway.database.query(
    `update processing_task set lease_until = now() - interval '1 second' where state = 'running'`,
  );

const round = () => gateway.inside(TaskQueue).lookAfter();

const ended = (output: string) => ({ output });

/** Of the work itself: the queue of jobs asks by itself from time to time. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const statements = await statementsDuring(gateway.database, work);
  return statements.filter((sql) => /\b(?:ex_app\w*|processing_task\w*|account)\b/.test(sql));
}

describe('an app that asks in vain', () => {
  it('costs no statement', async () => {
    // The notice of the provider's registration makes the service read the task types once more.
    await noticesHeard(gateway);
    expect((await worker.poll()).status).toBe(204);

    const statements = await statementsOf(async () => {
      expect((await worker.poll()).status).toBe(204);
      const batch = await worker.poll('next_batch', { numberOfTasks: 3 });
      expect(batch.json).toMatchObject({ ocs: { data: { tasks: [], has_more: false } } });
    });

    expect(statements).toEqual([]);
  });

  it('is recorded every 30 seconds', async () => {
    const asked = async () =>
      (await gateway.inside(ExAppsRepository).find('writer'))?.tasksAskedSeconds;
    await gateway.database.query('update ex_app set tasks_asked_at = null');
    let now = Date.now() + 3_600_000;
    gateway.inside(Clock).now = () => new Date(now);

    await worker.poll();
    expect(await asked()).toEqual(expect.any(Number));

    await gateway.database.query('update ex_app set tasks_asked_at = null');
    now += 29_000;
    await worker.poll();
    expect(await asked()).toBeNull();
    now += 1_000;
    await worker.poll();
    expect(await asked()).toEqual(expect.any(Number));
  });

  it('costs none either after the last task was done, or while others wait for another type', async () => {
    await noticesHeard(gateway);
    const { id } = await aHeadline();
    expect((await worker.next())?.id).toBe(id);
    await scheduleTask(gateway, { type: SUMMARY });
    expect(await worker.next()).toBeNull();

    expect(await statementsOf(() => worker.poll())).toEqual([]);
  });

  it('gets the task that another process has scheduled since', async () => {
    expect(await worker.next()).toBeNull();

    const { id } = await scheduleTask(elsewhere, { type: HEADLINE });
    await noticesHeard(gateway);

    expect((await worker.next())?.id).toBe(id);
  });

  it('is refused with a wrong secret', async () => {
    await worker.poll();
    const forged = { ...worker.app, appId: 'writer', secret: 'guessed' };
    const headers = {
      'authorization-app-api': Buffer.from(`:${forged.secret}`).toString('base64'),
    };

    const path = '/ocs/v2.php/taskprocessing/tasks_provider/next';
    const { status } = await worker.app.as().call('GET', path, { headers });

    expect(status).toBe(401);
  });

  it('gets nothing once it is disabled, and is refused within half a minute', async () => {
    await worker.poll();
    await gateway.inside(ExAppsRepository).setEnabled('writer', false);
    const { id } = await aHeadline();

    expect((await worker.poll()).status).toBe(204);
    const later = Date.now() + 31_000;
    gateway.inside(Clock).now = () => new Date(later);
    expect((await worker.poll()).status).toBe(401);
    expect((await storedTask(gateway, id)).state).toBe('scheduled');
  });

  it('may name providers in the query and in the body', async () => {
    const { id } = await aHeadline();

    const { json: answer } = await worker.app
      .as()
      .call('GET', '/ocs/v2.php/taskprocessing/tasks_provider/next', {
        query: { 'providerIds[]': 'writer:headlines' },
        json: { taskTypeIds: [HEADLINE] },
      });

    expect(answer).toMatchObject({ ocs: { data: { task: { id } } } });
  });
});

describe('users take turns', () => {
  it('with one worker that does one task after the other', async () => {
    for (let count = 0; count < 4; count += 1) {
      await aHeadline('ada');
    }
    await aHeadline('bob');
    await aHeadline('cleo');

    const order: unknown[] = [];
    for (let task = await worker.next(); task !== null; task = await worker.next()) {
      order.push(task.userId);
      await worker.result(task.id, ended('done'));
    }

    expect(order).toEqual(['ada', 'bob', 'cleo', 'ada', 'ada', 'ada']);
  });

  it('in a batch', async () => {
    for (const userId of ['ada', 'ada', 'ada', 'bob', 'bob']) {
      await aHeadline(userId);
    }

    const { json: answer } = await worker.poll('next_batch', { numberOfTasks: 4 });

    const { tasks, has_more: hasMore } = (
      answer as { ocs: { data: { tasks: { task: { userId: string } }[]; has_more: boolean } } }
    ).ocs.data;
    const userIds = tasks.map(({ task }) => task.userId);
    expect(userIds.toSorted()).toEqual(['ada', 'ada', 'bob', 'bob']);
    expect(hasMore).toBe(true);
  });

  it('so that concurrent claims get different tasks, and none is passed over', async () => {
    const ids = [];
    for (let count = 0; count < 5; count += 1) {
      ids.push((await aHeadline()).id);
    }

    const claimed = await Promise.all(ids.map(() => worker.next()));

    expect(claimed.map((task) => task?.id ?? 0).sort((a, b) => a - b)).toEqual(ids);
  });
});

it('an app gets no more than it may work on at the same time', async () => {
  for (let count = 0; count < 6; count += 1) {
    await aHeadline();
  }
  const first = await worker.next();
  for (let count = 1; count < 5; count += 1) {
    expect(await worker.next()).not.toBeNull();
  }

  expect(await worker.next()).toBeNull();
  await worker.result(first?.id ?? 0, ended('done'));
  expect(await worker.next()).not.toBeNull();
});

describe('a lease that ends', () => {
  it('gives the task to the app that asks next', async () => {
    const { id } = await aHeadline();
    await worker.next();
    await worker.progress(id, 0.5);
    await endLeases();
    await round();

    expect(await storedTask(gateway, id)).toMatchObject({ state: 'scheduled', progress: null });
    expect((await worker.next())?.id).toBe(id);
  });

  it('is renewed by progress', async () => {
    const { id } = await aHeadline();
    await worker.next();
    await endLeases();
    await worker.progress(id, 0.5);
    await round();

    expect((await storedTask(gateway, id)).state).toBe('running');
  });

  it('fails the task at the third time', async () => {
    const { id } = await aHeadline();
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      expect((await worker.next())?.id).toBe(id);
      await endLeases();
      await round();
    }

    expect(await storedTask(gateway, id)).toMatchObject({
      state: 'failed',
      attempts: 3,
      userError: 'The external app could not finish the task.',
    });
    expect(taskIn(await worker.result(id, ended('late'))).status).toBe('STATUS_FAILED');
  });

  it('does not undo the work of an app that reports late', async () => {
    const { id } = await aHeadline();
    await worker.next();
    await endLeases();
    await round();

    expect(taskIn(await worker.result(id, ended('late'))).status).toBe('STATUS_SUCCESSFUL');
    expect(await worker.next()).toBeNull();
  });
});

it('a task that nobody claims fails after a day, and one that is never done', async () => {
  const waiting = await aHeadline();
  const slow = await scheduleTask(gateway, { type: SUMMARY });
  await gateway.database.query(
    `update processing_task set deadline_at = now(),
            state = case when type = $1 then 'running' else state end,
            lease_until = now() + interval '1 hour'`,
    [SUMMARY],
  );
  const heard: number[] = [];
  gateway.inside(TaskQueue).onEnd(async ({ id }) => void heard.push(id));

  await round();

  for (const { id } of [waiting, slow]) {
    expect(await storedTask(gateway, id)).toMatchObject({
      state: 'failed',
      userError: 'The task was not finished in time.',
    });
  }
  expect(heard.toSorted((a, b) => a - b)).toEqual([waiting.id, slow.id]);
});

it('the round makes no statement while there are no unfinished tasks', async () => {
  await noticesHeard(gateway);
  await round();

  expect(await statementsOf(round)).toEqual([]);
  const { id } = await aHeadline();
  await gateway.database.query(`update processing_task set deadline_at = now()`);
  await round();
  expect((await storedTask(gateway, id)).state).toBe('failed');
});

describe('the tasks of an app are given back at once, without an attempt,', () => {
  it.each([
    ['is disabled', () => gateway.inside(ExAppsRepository).setEnabled('writer', false)],
    ['is unregistered', () => gateway.inside(LifecycleRepository).remove('writer')],
    ['unregisters the provider', () => worker.unregister('writer:headlines')],
  ])('when it %s', async (what, happen) => {
    const other = await aWorker('other');
    await other.register('other:headlines', HEADLINE);
    const { id } = await aHeadline();
    await worker.next();

    await happen();
    await noticesHeard(gateway);

    expect(await storedTask(gateway, id)).toMatchObject({ state: 'scheduled', attempts: 0 });
    expect((await other.next())?.id).toBe(id);
    const late = await worker.result(id, ended('late'));
    expect(late.statuscode).toBe(what === 'unregisters the provider' ? 404 : 997);
    expect(taskIn(await other.result(id, ended('done'))).output).toEqual({ output: 'done' });
  });
});

describe('reports', () => {
  /** Stops the clock that reports are paced by. */
  function setClock(millis: number): void {
    gateway.inside(Clock).now = () => new Date(millis);
  }

  it('on a cancelled task change nothing, and say so', async () => {
    const { id } = await aHeadline();
    await worker.next();
    await gateway.inside(TaskQueue).cancel(id);

    expect(taskIn(await worker.progress(id, 0.5)).status).toBe('STATUS_CANCELLED');
    const result = await worker.result(id, ended('late'));
    expect(result.statuscode).toBe(200);
    expect(taskIn(result)).toMatchObject({ status: 'STATUS_CANCELLED', output: null });
  });

  it('of progress in a flood are stored once a second', async () => {
    const { id } = await aHeadline();
    await worker.next();
    setClock(0);
    await worker.progress(id, 0.1);
    setClock(999);

    const statements = await statementsDuring(gateway.database, async () => {
      for (const progress of [0.2, 0.3, 0.4]) {
        expect(taskIn(await worker.progress(id, progress)).progress).toBe(progress);
      }
    });

    expect(statements.filter((sql) => sql.includes('update processing_task'))).toEqual([]);
    expect((await storedTask(gateway, id)).progress).toBe(0.1);
    setClock(1000);
    await worker.progress(id, 0.5);
    expect((await storedTask(gateway, id)).progress).toBe(0.5);
    await worker.progress(id, 1);
    expect((await storedTask(gateway, id)).progress).toBe(1);
  });

  it.each([['a text'], [5], [[1, 2]], [{ output: { deep: true } }], [{}]])(
    'with %p as output fail the task',
    async (output) => {
      const { id } = await aHeadline();
      await worker.next();

      const answer = await worker.result(id, output);

      expect(answer.statuscode).toBe(200);
      expect(taskIn(answer).status).toBe('STATUS_FAILED');
    },
  );

  it('cut errors to 1000 characters', async () => {
    const { id } = await aHeadline();
    await worker.next();
    await worker.report(id, 'result', { errorMessage: 'x'.repeat(5000) });

    expect((await storedTask(gateway, id)).error).toHaveLength(1000);
  });

  it('refuse progress outside of 0 to 1', async () => {
    const { id } = await aHeadline();
    await worker.next();

    expect((await worker.progress(id, 1.5)).statuscode).toBe(400);
  });

  it('of intermediate results are stored if they were asked for, at most two a second', async () => {
    const [plain, streaming] = [
      await aHeadline(),
      await scheduleTask(gateway, { type: HEADLINE, preferStreaming: true }),
    ];
    await worker.next();
    await worker.next();
    setClock(0);
    for (const { id } of [plain, streaming]) {
      await worker.report(id, 'stream-result', { output: { output: 'So far' } });
      await worker.report(id, 'stream-result', { output: { output: 'So far, and on' } });
    }

    expect((await storedTask(gateway, plain.id)).output).toBeNull();
    expect(await storedTask(gateway, streaming.id)).toMatchObject({
      state: 'running',
      output: { output: 'So far' },
    });
  });
});

describe('a waiting app', () => {
  it('is told of the first task, and once more of those that follow within a second', async () => {
    await aHeadline();
    const first = await worker.app.received('/trigger');
    for (let count = 0; count < 50; count += 1) {
      gateway.inside(TaskTriggers).pull(HEADLINE);
    }
    await worker.app.received('/trigger', 2);

    expect(first.method).toBe('POST');
    expect(first.query.get('providerId')).toBe('writer:headlines');
    expect(first.userId).toBe('');
    expect(first.authenticated).toBe(true);
    expect(worker.app.requests('/trigger')).toHaveLength(2);
  });

  itLong('is told again if it could not be reached', async () => {
    const flaky = await aWorker('flaky');
    await flaky.register('flaky:one', SUMMARY);
    flaky.app.on('/trigger', (_request, response) => void response.destroy());
    await scheduleTask(gateway, { type: SUMMARY });

    expect((await flaky.app.received('/trigger', 2)).query.get('providerId')).toBe('flaky:one');
  });

  itLong('is told again after a minute, unless it does not want to know', async () => {
    const mute = await aWorker('mute');
    await mute.register('mute:one', 'core:text2text:topics');
    mute.app.on('/trigger', json({}, 404));
    const keen = await aWorker('keen');
    await keen.register('keen:one', 'core:text2text:proofread');
    await noticesHeard(gateway);
    await scheduleTask(gateway, { type: 'core:text2text:topics' });
    await mute.app.received('/trigger');
    await scheduleTask(gateway, { type: 'core:text2text:proofread' });
    await keen.app.received('/trigger');
    await gateway.database.query(
      `update processing_task set changed_at = now() - interval '2 minutes'`,
    );

    await round();
    await keen.app.received('/trigger', 2);

    expect(mute.app.requests('/trigger')).toHaveLength(1);
  });

  itLong('is told of a task that was given back', async () => {
    const summarizer = await aWorker('summarizer');
    await summarizer.register('summarizer:one', SUMMARY);
    const { id } = await scheduleTask(gateway, { type: SUMMARY });
    await summarizer.app.received('/trigger');
    await summarizer.next();
    await endLeases();
    await round();
    await summarizer.app.received('/trigger', 2);

    expect((await summarizer.next())?.id).toBe(id);
  });
});

it('the end of a task is heard by a waiter in another process', async () => {
  const { id } = await aHeadline();
  await worker.next();
  const minute = 60_000;
  const never = new AbortController();
  const waiting = elsewhere.inside(TaskQueue).pauseUntilEnd(id, minute, never.signal);

  await worker.result(id, ended('done'));

  await waiting;
  expect((await storedTask(elsewhere, id)).state).toBe('successful');
});
