import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ExAppsRepository } from '../../../src/app-api/apps/ex-apps.repository.js';
import { TaskScheduler } from '../../../src/app-api/task-processing/consumers/task-scheduler.service.js';
import { ProcessingTasksRepository } from '../../../src/app-api/task-processing/queue/processing-tasks.repository.js';
import { TaskQueue } from '../../../src/app-api/task-processing/queue/task-queue.service.js';
import {
  json,
  knowApp,
  startExternalApp,
  toOcs,
  type ExternalApp,
} from '../../support/external-app.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { statementsOfRequests } from '../../support/statements.js';

const IMAGES = {
  id: 'painter:one',
  name: 'Painter',
  task_type: 'core:text2image:single',
  expected_runtime: 30,
  optional_input_shape: [],
  optional_output_shape: {},
  input_shape_enum_values: [],
  optional_input_shape_enum_values: {},
  output_shape_enum_values: {},
  optional_output_shape_enum_values: [],
  input_shape_defaults: {},
  optional_input_shape_defaults: {},
};

const HEADLINES = { ...IMAGES, id: 'writer:headlines', task_type: 'core:text2text:headline' };

let gateway: TestApp;
let app: ExternalApp;
let stranger: ExternalApp;

beforeAll(async () => {
  gateway = await startApp();
});
afterAll(() => gateway.stop());

beforeEach(async () => {
  app = await startExternalApp(gateway, { appId: 'writer' });
  stranger = await startExternalApp(gateway, { appId: 'stranger' });
  await knowApp(gateway, app);
  await knowApp(gateway, stranger);
});
afterEach(async () => {
  for (const { appId, close } of [app, stranger]) {
    await close();
    await gateway.database.query('delete from ex_app where app_id = $1', [appId]);
  }
  await gateway.database.query('delete from processing_task');
});

const REGISTRATION = '/api/v1/ai_provider/task_processing';

function register(provider: object, customTaskType: object | null = null, by = app) {
  return by.as().ocs('POST', REGISTRATION, { json: { provider, customTaskType } });
}

/** As the SDK does: JSON in the body of a GET. */
async function next(by = app, providers = [HEADLINES.id], types = [HEADLINES.task_type]) {
  const answer = await by.as().call('GET', '/ocs/v2.php/taskprocessing/tasks_provider/next', {
    json: { providerIds: providers, taskTypeIds: types },
  });
  return answer.status === 204
    ? null
    : (toOcs(answer).data as { task: TaskJson; provider: object });
}

async function report(taskId: number, what: string, json: object, by = app) {
  const path = `/ocs/v2.php/taskprocessing/tasks_provider/${taskId}/${what}`;
  return toOcs(await by.as().call('POST', path, { json }));
}

interface TaskJson {
  readonly id: number;
  readonly status: string;
  readonly progress: number | null;
  readonly output: Readonly<Record<string, unknown>> | null;
  readonly userFacingErrorMessage: string | null;
}

const taskOf = ({ data }: { readonly data: unknown }) => (data as { task: TaskJson }).task;

function schedule(input: Readonly<Record<string, unknown>> = { input: 'A long text' }) {
  return gateway
    .inside(TaskScheduler)
    .schedule({ typeId: HEADLINES.task_type, input, userId: 'ada', consumer: 'news' });
}

describe('the sequence of the SDK', () => {
  it('registers, unregisters twice, and registers again', async () => {
    expect((await register(IMAGES)).statuscode).toBe(100);
    expect((await app.as().ocs('DELETE', `${REGISTRATION}?name=${IMAGES.id}`)).statuscode).toBe(
      100,
    );
    expect((await app.as().ocs('DELETE', `${REGISTRATION}?name=${IMAGES.id}`)).statuscode).toBe(
      404,
    );
    expect((await register(IMAGES)).statuscode).toBe(100);
  });

  it('reads a provider back, its fields as JSON text', async () => {
    await register(IMAGES);

    const { data } = await app.as().ocs('GET', REGISTRATION, { query: { name: IMAGES.id } });

    expect(data).toMatchObject({
      app_id: 'writer',
      name: IMAGES.id,
      display_name: 'Painter',
      task_type: 'core:text2image:single',
      custom_task_type: null,
    });
    expect(JSON.parse((data as { provider: string }).provider)).toMatchObject({
      id: IMAGES.id,
      optional_output_shape: [],
      input_shape_enum_values: {},
    });
  });

  it('gets nothing, and reports on a task that does not exist', async () => {
    await register(HEADLINES);

    expect(await next()).toBeNull();
    expect((await report(9999, 'progress', { taskId: 9999, progress: 0.5 })).statuscode).toBe(404);
    expect((await report(9999, 'result', { taskId: 9999, output: null })).statuscode).toBe(404);
    const upload = new FormData();
    upload.append('file', new Blob(['picture']), 'picture.png');
    const path = '/ocs/v2.php/taskprocessing/tasks_provider/9999/file';
    const body = new Response(upload);
    const { status } = await app.as().call('POST', path, {
      headers: { 'content-type': body.headers.get('content-type') ?? '' },
      body: Buffer.from(await body.arrayBuffer()),
    });
    expect(status).toBe(404);
  });
});

it.each([
  ['an id that is no text', { ...IMAGES, id: ['a'] }],
  ['a runtime as text', { ...IMAGES, expected_runtime: '30' }],
  ['an enum value without a name', { ...IMAGES, input_shape_enum_values: { a: [{ value: 'x' }] } }],
  ['a missing map', { ...IMAGES, input_shape_defaults: undefined }],
])('refuses %s', async (_what, provider) => {
  expect((await register(provider)).statuscode).toBe(400);
});

describe('a task', () => {
  beforeEach(async () => {
    await register(HEADLINES);
  });

  it('is claimed once, makes progress, and ends with the first result', async () => {
    const { id } = await schedule();

    expect(await next()).toMatchObject({
      task: { id, status: 'STATUS_RUNNING', userId: 'ada', input: { input: 'A long text' } },
      provider: { name: HEADLINES.id },
    });
    expect(await next()).toBeNull();
    expect(taskOf(await report(id, 'progress', { progress: 0.25 })).progress).toBe(0.25);
    const ended = taskOf(await report(id, 'result', { output: { output: 'Short', more: 1 } }));
    expect(ended).toMatchObject({ status: 'STATUS_SUCCESSFUL', output: { output: 'Short' } });
    const late = taskOf(await report(id, 'result', { output: { output: 'Later' } }));
    expect(late.output).toEqual({ output: 'Short' });
  });

  it('fails with the message for users, and on a result that does not fit', async () => {
    const first = await schedule();
    const second = await schedule();
    await next();
    await next();

    const said = { errorMessage: 'CUDA out of memory', userFacingErrorMessage: 'Too busy' };
    expect(taskOf(await report(first.id, 'result', said))).toMatchObject({
      status: 'STATUS_FAILED',
      userFacingErrorMessage: 'Too busy',
    });
    const unfit = await report(second.id, 'result', { output: { output: 5 } });
    expect(unfit.statuscode).toBe(200);
    expect(taskOf(unfit).status).toBe('STATUS_FAILED');
  });

  it('is nothing to another app', async () => {
    const { id } = await schedule();

    expect(await next(stranger)).toBeNull();
    await next();
    expect((await report(id, 'progress', { progress: 1 }, stranger)).statuscode).toBe(404);
    const result = { output: { output: 'Mine' } };
    expect((await report(id, 'result', result, stranger)).statuscode).toBe(404);
  });

  it('is given out in a batch', async () => {
    const ids = [(await schedule()).id, (await schedule()).id, (await schedule()).id];

    const batch = async () =>
      toOcs(
        await app.as().call('GET', '/ocs/v2.php/taskprocessing/tasks_provider/next_batch', {
          query: {
            'providerIds[]': HEADLINES.id,
            'taskTypeIds[]': HEADLINES.task_type,
            numberOfTasks: '2',
          },
        }),
      ).data as { tasks: { task: TaskJson; provider: string }[]; has_more: boolean };

    const first = await batch();
    expect(first.tasks.map(({ task }) => task.id)).toEqual(ids.slice(0, 2));
    expect(first.has_more).toBe(true);
    expect(first.tasks[0]?.provider).toBe(HEADLINES.id);
    expect((await batch()).tasks.map(({ task }) => task.id)).toEqual(ids.slice(2));
    expect(await batch()).toEqual({ tasks: [], has_more: false });
  });
});

describe('a claimed task', () => {
  const passLease = (id: number) =>
    gateway.database.query(
      `update processing_task set lease_until = now() - interval '1 second' where id = $1`,
      [id],
    );
  const round = () => gateway.inside(TaskQueue).lookAfter();

  beforeEach(async () => {
    await register(HEADLINES);
  });

  it('is given out again when its lease has ended, and fails after three claims', async () => {
    const { id } = await schedule();

    for (const attempt of [1, 2, 3]) {
      expect((await next())?.task.id).toBe(id);
      await passLease(id);
      await round();
      const task = await gateway.inside(ProcessingTasksRepository).find(id);
      expect(task?.state).toBe(attempt < 3 ? 'scheduled' : 'failed');
    }
  });

  it('may still be reported on by its app after the lease, until another claim', async () => {
    const { id } = await schedule();
    await next();
    await passLease(id);
    await round();

    const ended = taskOf(await report(id, 'result', { output: { output: 'Late' } }));
    expect(ended.status).toBe('STATUS_SUCCESSFUL');
  });

  it('is given back when its app is disabled, without counting the attempt', async () => {
    const { id } = await schedule();
    await next();
    await gateway.inside(ExAppsRepository).setEnabled('writer', false);

    await round();

    const task = await gateway.inside(ProcessingTasksRepository).find(id);
    expect(task).toMatchObject({ state: 'scheduled', attempts: 0, appId: null });
  });

  it('is given back when its provider is unregistered', async () => {
    const { id } = await schedule();
    await next();
    await app.as().ocs('DELETE', `${REGISTRATION}?name=${HEADLINES.id}`);

    await round();

    expect((await gateway.inside(ProcessingTasksRepository).find(id))?.state).toBe('scheduled');
  });

  it('fails at its deadline', async () => {
    const { id } = await schedule();
    await next();
    await gateway.database.query(`update processing_task set deadline_at = now() where id = $1`, [
      id,
    ]);

    await round();

    expect(await gateway.inside(ProcessingTasksRepository).find(id)).toMatchObject({
      state: 'failed',
      userError: 'The task was not finished in time.',
    });
  });
});

it('gives turns to users who have few tasks', async () => {
  await register(HEADLINES);
  const scheduleFor = (userId: string) =>
    gateway.inside(TaskScheduler).schedule({
      typeId: HEADLINES.task_type,
      input: { input: 'text' },
      userId,
      consumer: 'news',
    });
  const ofAda = [await scheduleFor('ada'), await scheduleFor('ada'), await scheduleFor('ada')];
  const ofBob = await scheduleFor('bob');

  const order = [];
  for (let n = 0; n < 4; n++) {
    order.push((await next())?.task.id);
  }
  expect(order).toEqual([ofAda[0]?.id, ofBob.id, ofAda[1]?.id, ofAda[2]?.id]);
});

it('asks the database nothing about the queue while no task is scheduled', async () => {
  await register(HEADLINES);
  await next();
  await next();
  const queue = gateway.inside(TaskQueue);
  const wish = { providerIds: [HEADLINES.id], typeIds: [HEADLINES.task_type] };

  const statements = await statementsOfRequests(gateway.database, () =>
    queue.claim('writer', wish, 1),
  );
  expect(statements).toEqual([]);

  const { id } = await schedule();
  expect((await next())?.task.id).toBe(id);
});

it('tells the app of each task, at most once a second', async () => {
  app.on('/trigger', json({}));
  await register(HEADLINES);

  await Promise.all([schedule(), schedule(), schedule()]);

  const first = await app.received('/trigger');
  expect(first).toMatchObject({ method: 'POST', userId: '', authenticated: true });
  expect(first.query.get('providerId')).toBe(HEADLINES.id);
});
