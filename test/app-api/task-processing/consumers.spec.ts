import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OwnTasksService } from '../../../src/app-api/task-processing/consumers/own-tasks.service.js';
import { TaskScheduler } from '../../../src/app-api/task-processing/consumers/task-scheduler.service.js';
import { AccountDeletionHooks, ExAppUninstallHooks } from '../../../src/common/ports/hooks.js';
import { knowApp, startExternalApp, toOcs, type ExternalApp } from '../../support/external-app.js';
import { SdkApp, type SdkTask } from '../../support/sdk-app.js';
import { startApp, type TestApp, type TestUser } from '../../support/start-app.js';

const ROOT = '/ocs/v2.php/taskprocessing';
const TRANSLATE = 'core:text2text:translate';

let gateway: TestApp;
let ada: TestUser;
let bob: TestUser;
let app: ExternalApp;
let other: ExternalApp;
let worker: SdkApp;

beforeAll(async () => {
  gateway = await startApp({
    GATEFOLD_LIMITS: 'tasks-per-user=3 tasks-kept-per-user=4 tasks-per-user-and-two-minutes=12',
  });
});
afterAll(() => gateway.stop());

beforeEach(async () => {
  [ada, bob] = [await gateway.signIn(), await gateway.signIn()];
  app = await startExternalApp(gateway, { appId: 'translator' });
  other = await startExternalApp(gateway, { appId: 'writer' });
  await knowApp(gateway, app);
  await knowApp(gateway, other);
  worker = new SdkApp(app);
  const languages = [
    { name: 'English', value: 'en' },
    { name: 'German', value: 'de' },
  ];
  await worker.register({
    id: 'translator:one',
    task_type: TRANSLATE,
    expected_runtime: 20,
    input_shape_enum_values: {
      origin_language: [{ name: 'Detect language', value: 'detect_language' }, ...languages],
      target_language: languages,
    },
    input_shape_defaults: { origin_language: 'detect_language' },
  });
});
afterEach(async () => {
  for (const { appId, close } of [app, other]) {
    await close();
    await gateway.database.query('delete from ex_app where app_id = $1', [appId]);
  }
  await gateway.database.query('delete from processing_task');
});

const HALLO = { input: 'Hallo', target_language: 'en' };

async function call(user: TestUser, method: string, path: string, json?: object) {
  return toOcs(
    await user.call(method, `${ROOT}/${path}`, {
      query: { format: 'json' },
      ...(json && { json }),
    }),
  );
}

const taskIn = ({ data }: { readonly data: unknown }) => (data as { task: SdkTask }).task;
const tasksIn = ({ data }: { readonly data: unknown }) => (data as { tasks: SdkTask[] }).tasks;

async function schedule(user = ada, rest: object = {}): Promise<SdkTask> {
  const body = { type: TRANSLATE, appId: 'notes', input: HALLO, ...rest };
  const answer = await call(user, 'POST', 'schedule', body);
  expect(answer).toMatchObject({ httpStatus: 200, statuscode: 200 });
  return taskIn(answer);
}

const next = () => worker.nextTask(['translator:one'], [TRANSLATE]);

async function finish(output: object = { output: 'Hello' }): Promise<void> {
  const given = await next();
  await worker.reportResult(given?.task.id ?? 0, output);
}

describe('the types', () => {
  it('are those that can be scheduled now, with the slots of the provider', async () => {
    const { data } = await call(ada, 'GET', 'tasktypes');

    expect(data).toEqual({
      types: {
        [TRANSLATE]: {
          name: 'Translate',
          description: 'Translates a text.',
          inputShape: {
            input: { name: 'Input', description: 'What to work on', type: 'Text' },
            origin_language: expect.objectContaining({ type: 'Enum' }),
            target_language: expect.objectContaining({ type: 'Enum' }),
          },
          inputShapeEnumValues: {
            origin_language: expect.arrayContaining([
              { name: 'Detect language', value: 'detect_language' },
            ]),
            target_language: expect.any(Array),
          },
          inputShapeDefaults: { origin_language: 'detect_language' },
          optionalInputShape: {},
          optionalInputShapeEnumValues: {},
          optionalInputShapeDefaults: {},
          outputShape: { output: { name: 'Output', description: 'The result', type: 'Text' } },
          outputShapeEnumValues: {},
          optionalOutputShape: {},
          optionalOutputShapeEnumValues: {},
          isInternal: false,
        },
      },
    });
  });
});

describe('a task of a user', () => {
  it('is scheduled with the defaults, worked on, and read', async () => {
    const { id } = await schedule(ada, { customId: 'page 4' });

    const given = await next();
    expect(given?.task).toMatchObject({
      id,
      input: { ...HALLO, origin_language: 'detect_language' },
      userId: ada.credentials.userId,
      appId: 'notes',
      status: 'STATUS_RUNNING',
    });
    await worker.reportResult(id, { output: 'Hello', mood: 'calm' });

    expect(taskIn(await call(ada, 'GET', `task/${id}`))).toEqual({
      id,
      type: TRANSLATE,
      lastUpdated: expect.any(Number),
      status: 'STATUS_SUCCESSFUL',
      userId: ada.credentials.userId,
      appId: 'notes',
      input: { ...HALLO, origin_language: 'detect_language' },
      output: { output: 'Hello' },
      customId: 'page 4',
      completionExpectedAt: null,
      progress: 1,
      scheduledAt: expect.any(Number),
      startedAt: expect.any(Number),
      endedAt: expect.any(Number),
      allowCleanup: true,
      includeWatermark: true,
      userFacingErrorMessage: null,
      preferStreaming: false,
    });
  });

  it('is scheduled by an app for the user that it names', async () => {
    const agent = new SdkApp(other).as(ada.credentials.userId);

    const scheduled = await agent.ocs('POST', '/ocs/v1.php/taskprocessing/schedule', {
      type: TRANSLATE,
      appId: 'writer',
      input: HALLO,
    });

    const { id, userId } = taskIn({ data: scheduled });
    expect(userId).toBe(ada.credentials.userId);
    expect((await call(ada, 'GET', `task/${id}`)).statuscode).toBe(200);
  });

  it.each<[string, object, number, string]>([
    ['a type that nobody provides', { type: 'core:text2image' }, 412, 'core:text2image'],
    ['an input that does not fit', { input: { input: 'a' } }, 400, '"target_language"'],
    ['an enum that is not offered', { input: { ...HALLO, target_language: 'xx' } }, 400, 'target'],
    ['no type', { type: undefined }, 400, '"type"'],
    ['no app', { appId: '' }, 400, '"appId"'],
    ['an input that is a text', { input: 'Hallo' }, 400, '"input"'],
  ])('is refused with %s, and the data has the message', async (_what, wrong, code, part) => {
    const body = { type: TRANSLATE, appId: 'notes', input: HALLO, ...wrong };

    const answer = await call(ada, 'POST', 'schedule', body);
    const [v1] = [
      toOcs(
        await ada.call('POST', '/ocs/v1.php/taskprocessing/schedule', {
          query: { format: 'json' },
          json: body,
        }),
      ),
    ];

    expect(answer).toMatchObject({ httpStatus: code, statuscode: code });
    expect((answer.data as { message: string }).message).toContain(part);
    expect(v1).toMatchObject({ httpStatus: 200, statuscode: code, data: answer.data });
    expect(tasksIn(await call(ada, 'GET', 'tasks'))).toEqual([]);
  });

  it('is listed newest first, by type, custom id and app', async () => {
    const first = await schedule(ada, { customId: 'a' });
    const second = await schedule(ada, { appId: 'mail' });

    const ids = async (path: string) => tasksIn(await call(ada, 'GET', path)).map(({ id }) => id);
    expect(await ids('tasks')).toEqual([second.id, first.id]);
    expect(await ids('tasks?customId=a')).toEqual([first.id]);
    expect(await ids(`tasks?taskType=${TRANSLATE}`)).toEqual([second.id, first.id]);
    expect(await ids('tasks?taskType=core:text2text')).toEqual([]);
    expect(await ids('tasks/app/mail')).toEqual([second.id]);
    expect(await ids('tasks/app/mail?customId=a')).toEqual([]);
  });

  it('is cancelled while it waits or runs; its app learns of it and cannot end it', async () => {
    const { id } = await schedule();
    await next();

    expect(taskIn(await call(ada, 'POST', `tasks/${id}/cancel`)).status).toBe('STATUS_CANCELLED');

    expect((await worker.setProgress(id, 50)).status).toBe('STATUS_CANCELLED');
    expect((await worker.reportResult(id, { output: 'Hello' })).status).toBe('STATUS_CANCELLED');
    expect(taskIn(await call(ada, 'POST', `tasks/${id}/cancel`))).toMatchObject({
      status: 'STATUS_CANCELLED',
      output: null,
    });
  });

  it('is deleted, also while it runs; later reports are refused', async () => {
    const { id } = await schedule();
    await next();

    expect(await call(ada, 'DELETE', `task/${id}`)).toMatchObject({ statuscode: 200, data: null });
    expect(await call(ada, 'DELETE', `task/${id}`)).toMatchObject({ statuscode: 200, data: null });

    expect(await call(ada, 'GET', `task/${id}`)).toMatchObject({
      httpStatus: 404,
      data: { message: `There is no task ${id}.` },
    });
    await expect(worker.setProgress(id, 50)).rejects.toMatchObject({ statusCode: 404 });
    await expect(worker.reportResult(id, { output: 'a' })).rejects.toMatchObject({
      statusCode: 404,
    });
  });

  it('is not there for another user, no matter what is asked', async () => {
    const { id } = await schedule();

    expect((await call(bob, 'GET', `task/${id}`)).httpStatus).toBe(404);
    expect((await call(bob, 'POST', `tasks/${id}/cancel`)).httpStatus).toBe(404);
    expect((await call(bob, 'DELETE', `task/${id}`)).statuscode).toBe(200);
    expect(tasksIn(await call(bob, 'GET', 'tasks'))).toEqual([]);
    expect(taskIn(await call(ada, 'GET', `task/${id}`)).status).toBe('STATUS_SCHEDULED');
  });

  it('is the fourth that waits only when another has ended', async () => {
    await Promise.all([schedule(), schedule(), schedule()]);

    const refused = await call(ada, 'POST', 'schedule', {
      type: TRANSLATE,
      appId: 'notes',
      input: HALLO,
    });
    expect(refused).toMatchObject({ httpStatus: 429, data: { message: expect.any(String) } });
    await schedule(bob);

    await finish();
    await schedule();
  });

  it('is not one of many at the same time beyond the limit', async () => {
    const body = { type: TRANSLATE, appId: 'notes', input: HALLO };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call(ada, 'POST', 'schedule', body)),
    );

    expect(answers.filter(({ statuscode }) => statuscode === 200)).toHaveLength(3);
  });

  it('is scheduled at most twelve times in two minutes, deleted or not', async () => {
    for (let n = 0; n < 12; n += 1) {
      const { id } = await schedule();
      await call(ada, 'DELETE', `task/${id}`);
    }

    const answer = await ada.call('POST', `${ROOT}/schedule`, {
      query: { format: 'json' },
      json: { type: TRANSLATE, appId: 'notes', input: HALLO },
    });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    await schedule(bob);
  });

  it('is kept after its end with a few others; the oldest go first', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      ids.push((await schedule()).id);
      await finish();
    }

    const kept = tasksIn(await call(ada, 'GET', 'tasks')).map(({ id }) => id);
    expect(kept).toEqual(ids.slice(2).toReversed());
  });

  it('disappears a week after its end', async () => {
    const { id } = await schedule();
    await finish();
    const waiting = await schedule();
    await gateway.database.query(
      `update processing_task set ended_at = ended_at - interval '8 days',
              scheduled_at = scheduled_at - interval '8 days'`,
    );

    await gateway.inside(OwnTasksService).tidy();

    expect((await call(ada, 'GET', `task/${id}`)).httpStatus).toBe(404);
    expect((await call(ada, 'GET', `task/${waiting.id}`)).httpStatus).toBe(200);
  });

  it('disappears with the account', async () => {
    await schedule(bob);
    const { id } = await schedule();

    await gateway.inside(AccountDeletionHooks).run(ada.credentials.userId);

    const rows = await gateway.database.query<{ id: number }>('select id from processing_task');
    expect(rows).toHaveLength(1);
    expect(rows).not.toContainEqual({ id });
  });
});

describe('a task of an app itself', () => {
  const path = (rest: string) => `/ocs/v2.php/taskprocessing/tasks_consumer/${rest}`;
  const wish = { type: TRANSLATE, appId: 'pretended', input: HALLO };

  it('is scheduled, worked on, read, listed and deleted without a user', async () => {
    const consumer = new SdkApp(other);
    const types = await consumer.ocs('GET', path('tasktypes'));
    expect(Object.keys((types as { types: object }).types)).toEqual([TRANSLATE]);

    const task = taskIn({ data: await consumer.ocs('POST', path('schedule'), wish) });
    expect(task).toMatchObject({ userId: null, appId: 'writer' });
    await finish();

    const read = await consumer.ocs('GET', path(`task/${task.id}`));
    expect(taskIn({ data: read }).output).toEqual({ output: 'Hello' });
    expect(tasksIn({ data: await consumer.ocs('GET', path('tasks')) })).toHaveLength(1);
    await consumer.ocs('DELETE', path(`task/${task.id}`));
    expect(tasksIn({ data: await consumer.ocs('GET', path('tasks')) })).toEqual([]);
  });

  it('is not there for another app, nor for a user', async () => {
    const task = taskIn({ data: await new SdkApp(other).ocs('POST', path('schedule'), wish) });

    await expect(worker.ocs('GET', path(`task/${task.id}`))).rejects.toMatchObject({
      statusCode: 404,
    });
    await expect(worker.ocs('POST', path(`tasks/${task.id}/cancel`))).rejects.toMatchObject({
      statusCode: 404,
    });
    expect((await call(ada, 'GET', `task/${task.id}`)).httpStatus).toBe(404);
    expect((await ada.get(path('tasks'))).status).toBe(401);
    const cancelled = await new SdkApp(other).ocs('POST', path(`tasks/${task.id}/cancel`));
    expect(taskIn({ data: cancelled }).status).toBe('STATUS_CANCELLED');
  });

  it('is none of the user that the app acts for', async () => {
    const acting = new SdkApp(other).as(ada.credentials.userId);
    const task = taskIn({ data: await acting.ocs('POST', path('schedule'), wish) });

    expect(task.userId).toBeNull();
    expect(tasksIn(await call(ada, 'GET', 'tasks'))).toEqual([]);
  });

  it('counts against the limit of the app, and goes when the app is unregistered', async () => {
    const consumer = new SdkApp(other);
    for (let n = 0; n < 3; n += 1) {
      await consumer.ocs('POST', path('schedule'), wish);
    }
    await expect(consumer.ocs('POST', path('schedule'), wish)).rejects.toMatchObject({
      statusCode: 429,
    });
    await schedule();

    await gateway.inside(ExAppUninstallHooks).run('writer', false);

    expect(await gateway.database.query('select 1 from processing_task')).toHaveLength(1);
  });
});

describe('tasks of the service itself', () => {
  it('are checked like those of users', async () => {
    const scheduler = gateway.inside(TaskScheduler);
    const { userId } = ada.credentials;
    const request = { typeId: TRANSLATE, userId, consumer: 'news' };

    await expect(scheduler.schedule({ ...request, input: { input: 'a' } })).rejects.toThrow(
      '"target_language"',
    );
    const { input } = await scheduler.schedule({ ...request, input: { ...HALLO, mood: 'calm' } });
    expect(input).toEqual({ ...HALLO, origin_language: 'detect_language' });
  });
});
