import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TaskScheduler } from '../../../src/app-api/task-processing/consumers/task-scheduler.service.js';
import { Clock } from '../../../src/common/clock.js';
import { knowApp, startExternalApp, toOcs, type ExternalApp } from '../../support/external-app.js';
import { runGatefold } from '../../support/gatefold-command.js';
import { startApp, type TestApp, type TestUser } from '../../support/start-app.js';

const PLAIN = '/apps/app_api';
const HEADLINE = 'core:text2text:headline';
const SUMMARY = 'core:text2text:summary';
const TYPE_PATH = `/task-types/${encodeURIComponent(HEADLINE)}`;
const EMPTY = {
  optional_input_shape: [],
  optional_output_shape: [],
  input_shape_enum_values: {},
  optional_input_shape_enum_values: {},
  output_shape_enum_values: {},
  optional_output_shape_enum_values: {},
  input_shape_defaults: {},
  optional_input_shape_defaults: {},
};

let gateway: TestApp;
let admin: TestUser;
let ada: TestUser;
let writer: ExternalApp;
let poet: ExternalApp;

beforeAll(async () => {
  gateway = await startApp({ GATEFOLD_LIMITS: 'tasks-per-user=1000' });
  admin = gateway.asAdmin();
  ada = await gateway.signInOnce('ada');
});
afterAll(() => gateway?.stop());

beforeEach(async () => {
  writer = await startExternalApp(gateway, { appId: 'writer' });
  poet = await startExternalApp(gateway, { appId: 'poet' });
  await knowApp(gateway, writer);
  await knowApp(gateway, poet);
  await provide(writer, 'writer:headline');
  await provide(poet, 'poet:headline');
});
afterEach(async () => {
  Reflect.deleteProperty(gateway.inside(Clock), 'now');
  await Promise.all([writer.close(), poet.close()]);
  await gateway.database.query('delete from ex_app');
  await gateway.database.query('delete from processing_task');
  await gateway.database.query('delete from task_type_setting');
});

async function provide(by: ExternalApp, id: string, type = HEADLINE) {
  const provider = { ...EMPTY, id, name: `Name of ${id}`, task_type: type, expected_runtime: 20 };
  const answer = await by.as().ocs('POST', '/api/v1/ai_provider/task_processing', {
    json: { provider },
  });
  expect(answer.statuscode).toBe(100);
}

const schedule = (typeId = HEADLINE, userId = 'ada') =>
  gateway.inside(TaskScheduler).schedule({
    typeId,
    input: { input: 'a private text' },
    userId,
    consumer: 'news',
  });

async function next(by: ExternalApp, providerId: string): Promise<number | null> {
  const answer = await by.as().call('GET', '/ocs/v2.php/taskprocessing/tasks_provider/next', {
    json: { providerIds: [providerId], taskTypeIds: [HEADLINE] },
  });
  return answer.status === 204 ? null : (toOcs(answer).data as { task: { id: number } }).task.id;
}

const report = (by: ExternalApp, id: number, json: object) =>
  by.as().call('POST', `/ocs/v2.php/taskprocessing/tasks_provider/${id}/result`, { json });

async function get<Data>(path: string): Promise<Data> {
  const { status, json } = await admin.get(`${PLAIN}${path}`);
  expect(status).toBe(200);
  return json as Data;
}

interface TypeJson {
  readonly id: string;
  readonly enabled: boolean;
  readonly preferred: string | null;
  readonly providers: readonly object[];
}

async function typeOf(id = HEADLINE): Promise<TypeJson | undefined> {
  return (await get<{ types: TypeJson[] }>('/task-types')).types.find((type) => type.id === id);
}

const change = (json: object, path = TYPE_PATH) => admin.put(`${PLAIN}${path}`, json);

interface TaskJson {
  readonly id: number;
  readonly state: string;
}

const tasks = (query = '') => get<{ total: number; tasks: TaskJson[] }>(`/tasks${query}`);

async function notes(): Promise<string> {
  const rows = await gateway.database.query('select details from security_event');
  return JSON.stringify(rows);
}

describe('task types', () => {
  it('are listed with their providers and figures, also those without a provider', async () => {
    await schedule();
    const { id } = await schedule();
    expect(await next(writer, 'writer:headline')).not.toBeNull();
    expect(await next(writer, 'writer:headline')).toBe(id);
    await report(writer, id, { output: { output: 'Short' } });
    await schedule();

    expect(await typeOf()).toEqual({
      id: HEADLINE,
      name: expect.any(String),
      description: expect.any(String),
      is_internal: false,
      enabled: true,
      chosen: null,
      preferred: 'writer:headline',
      providers: ['writer', 'poet'].map((appId) => ({
        id: `${appId}:headline`,
        app_id: appId,
        name: `Name of ${appId}:headline`,
        expected_seconds: 20,
        registered_at: expect.any(Number),
      })),
      scheduled: 1,
      running: 1,
      oldest_seconds: expect.any(Number),
      successful_today: 1,
      failed_today: 0,
      mean_seconds: expect.any(Number),
    });
    expect(await typeOf(SUMMARY)).toMatchObject({ providers: [], preferred: null, scheduled: 0 });
  });

  it('go to the provider that is chosen, and back to the first one', async () => {
    await schedule();
    const chosen = await change({ providerId: 'poet:headline' });

    expect(chosen).toMatchObject({
      status: 200,
      json: { preferred: 'poet:headline', chosen: 'poet:headline', enabled: true },
    });
    expect(await next(writer, 'writer:headline')).toBeNull();
    expect(await next(poet, 'poet:headline')).not.toBeNull();
    await change({ providerId: null });
    await schedule();
    expect(await next(poet, 'poet:headline')).toBeNull();
    expect(await next(writer, 'writer:headline')).not.toBeNull();
    expect(await notes()).toContain('provider: the first registered app → poet:headline');
  });

  it('keep the other setting, and refuse what is not there', async () => {
    await change({ providerId: 'poet:headline' });
    expect((await change({ enabled: false })).json).toMatchObject({ chosen: 'poet:headline' });
    await provide(poet, 'poet:summary', SUMMARY);

    for (const providerId of ['nobody:headline', 'poet:summary']) {
      expect(await change({ providerId })).toMatchObject({
        status: 400,
        json: { message: expect.stringContaining(providerId) },
      });
    }
    expect((await change({ enabled: true }, '/task-types/no-such-type')).status).toBe(404);
    expect((await change({ enabled: 'no' })).status).toBe(422);
    expect(await typeOf()).toMatchObject({ enabled: false, preferred: 'poet:headline' });
  });

  it('that are switched off schedule nothing; what waits goes on when they are on again', async () => {
    const { id } = await schedule();
    await change({ enabled: false });

    await expect(schedule()).rejects.toThrow('No enabled external app provides');
    expect(await next(writer, 'writer:headline')).toBeNull();
    expect(await tasks('?state=scheduled')).toMatchObject({ total: 1, tasks: [{ id }] });
    await change({ enabled: true });
    expect(await next(writer, 'writer:headline')).toBe(id);
    expect(await notes()).toContain('switched off');
  });

  it('lose all their scheduled tasks at once, not the running ones', async () => {
    const { id } = await schedule();
    await gateway.database.query(
      `insert into processing_task (type, user_id, consumer, input, deadline_at)
       select type, user_id, consumer, input, deadline_at
         from processing_task, generate_series(1, 204) where id = $1`,
      [id],
    );
    const running = await next(writer, 'writer:headline');
    await provide(poet, 'poet:summary', SUMMARY);
    const other = await schedule(SUMMARY, 'bob');

    expect(await admin.post(`${PLAIN}${TYPE_PATH}/cancel-scheduled`)).toMatchObject({
      status: 200,
      json: { cancelled: 204 },
    });
    expect(await tasks('?state=running')).toMatchObject({ total: 1, tasks: [{ id: running }] });
    expect(await tasks('?state=scheduled')).toMatchObject({ total: 1, tasks: [{ id: other.id }] });
    expect(await get('/queues')).toMatchObject({
      task_processing: { scheduled: 1, running: 1, successful: 0, failed: 0, cancelled: 204 },
    });
  });
});

describe('tasks', () => {
  it('are listed without input and output', async () => {
    const { id } = await schedule();
    await next(writer, 'writer:headline');
    await writer.as().call('POST', `/ocs/v2.php/taskprocessing/tasks_provider/${id}/progress`, {
      json: { progress: 0.254 },
    });

    const page = await tasks();

    expect(page).toEqual({
      total: 1,
      tasks: [
        {
          id,
          kind: 'task_processing',
          type: HEADLINE,
          app_id: 'writer',
          provider: 'writer:headline',
          consumer: 'news',
          user_id: 'ada',
          state: 'running',
          progress: 25,
          error: '',
          attempts: 1,
          lease_until: expect.any(Number),
          created_at: expect.any(Number),
          started_at: expect.any(Number),
          finished_at: null,
        },
      ],
    });
    expect(JSON.stringify(page)).not.toContain('private');
  });

  it('are filtered and paged, together with older ones', async () => {
    await provide(poet, 'poet:summary', SUMMARY);
    const [first, second, third] = [
      await schedule(),
      await schedule(SUMMARY, 'bob'),
      await schedule(),
    ];
    await gateway.database.query(
      `insert into processing_task (type, called_app_id, provider_id, older, user_id, consumer, input, state,
                                    user_error, deadline_at, scheduled_at, ended_at)
       values ('core:text2text:translate', 'writer', 'old', '{}', 'ada', 'notes', '{}', 'failed',
               'no idea', now(), now() - interval '1 hour', now())`,
    );
    await next(writer, 'writer:headline');
    const idsFor = async (query: string) => (await tasks(query)).tasks.map(({ id }) => id);

    expect(await tasks('?limit=3')).toMatchObject({
      total: 4,
      tasks: [{ id: third?.id }, { id: second?.id }, { id: first?.id }],
    });
    expect(await tasks('?limit=3&offset=3')).toMatchObject({
      total: 4,
      tasks: [{ kind: 'translation', state: 'failed', error: 'no idea' }],
    });
    expect(await idsFor('?user=bob')).toEqual([second?.id]);
    expect(await idsFor(`?type=${SUMMARY}`)).toEqual([second?.id]);
    expect(await tasks('?type=translation')).toMatchObject({ total: 1 });
    expect(await tasks('?app=writer')).toMatchObject({ total: 2 });
    expect(await tasks('?app=news&state=scheduled')).toMatchObject({ total: 2 });
    expect(await tasks('?state=failed&user=bob')).toEqual({ total: 0, tasks: [] });
    expect((await admin.get(`${PLAIN}/tasks?state=odd`)).status).toBe(422);
    await gateway.database.query('delete from processing_task where older is not null');
  });

  it('of anybody are cancelled, once', async () => {
    const { id } = await schedule();
    await next(writer, 'writer:headline');
    const cancel = () => admin.post(`${PLAIN}/tasks/${id}/cancel`);

    expect(await cancel()).toMatchObject({ status: 200, json: { cancelled: true } });
    expect(await cancel()).toMatchObject({ status: 200, json: { cancelled: false } });
    expect((await report(writer, id, { output: { output: 'Late' } })).status).toBe(200);
    expect(await tasks()).toMatchObject({ tasks: [{ id, state: 'cancelled' }] });
    expect((await admin.post(`${PLAIN}/tasks/999999/cancel`)).status).toBe(404);
    expect(await notes()).toContain(`cancelled, of the type ${HEADLINE}`);
  });
});

describe('all routes', () => {
  const ROUTES = [
    ['GET', '/task-types'],
    ['PUT', TYPE_PATH],
    ['POST', `${TYPE_PATH}/cancel-scheduled`],
    ['POST', '/tasks/1/cancel'],
  ] as const;

  it.each(ROUTES)('are for administrators only: %s %s', async (method, path) => {
    expect((await ada.call(method, `${PLAIN}${path}`)).status).toBe(403);
    expect((await gateway.asStranger().call(method, `${PLAIN}${path}`)).status).toBe(401);
  });

  it.each(ROUTES)(
    'are read by an app for an administrator, not changed: %s %s',
    async (method, path) => {
      const { status } = await writer.as('admin').call(method, `${PLAIN}${path}`);

      expect(status).toBe(method === 'GET' ? 200 : 403);
    },
  );
});

describe('the commands', () => {
  const gatefold = (...args: string[]) => runGatefold(gateway, ...args);

  it('list types and tasks, and change the settings of types', async () => {
    const { id } = await schedule();

    expect((await gatefold('app_api:task-processing:types')).printed).toMatch(
      new RegExp(`${HEADLINE} +on +writer:headline \\(writer\\) +poet:headline +1 +0 +0`),
    );
    await gatefold('app_api:task-processing:prefer', HEADLINE, 'poet:headline');
    await gatefold('app_api:task-processing:disable', HEADLINE);
    expect(await typeOf()).toMatchObject({ enabled: false, preferred: 'poet:headline' });
    expect((await gatefold('app_api:task-processing:tasks', '--user', 'ada')).printed).toMatch(
      new RegExp(`${id} +${HEADLINE} +scheduled +- +- +ada`),
    );
    const refused = await gatefold('app_api:task-processing:prefer', HEADLINE, 'nobody');
    expect(refused.complaints).toContain('No enabled app has a provider "nobody"');
    expect(refused.exitCode).not.toBe(0);
  });

  it('explain why a provider gets no tasks', async () => {
    await provide(poet, 'writer:headline');
    await provide(poet, 'poet:odd', 'poet:odd-type');
    await provide(poet, 'poet:summary', SUMMARY);
    const { id } = await schedule();
    const later = Date.now() + 31_000;
    gateway.inside(Clock).now = () => new Date(later);
    await next(writer, 'writer:headline');
    await report(writer, id, { errorMessage: 'no idea' });
    await schedule(SUMMARY);

    const poets = (await gatefold('app_api:doctor', 'poet')).printed;
    expect(poets).toContain(
      'poet:headline for core:text2text:headline: gets no tasks, writer:headline does',
    );
    expect(poets).toContain(
      'writer:headline for core:text2text:headline: gets no tasks: the app writer',
    );
    expect(poets).toContain(
      'poet:odd for poet:odd-type: gets no tasks: no app describes this type',
    );
    expect(poets).toContain('gets the tasks, 1 wait, the oldest for');
    expect(poets).toContain('answers 404: the app has no trigger');
    expect(poets).toMatch(/running +no task/);
    expect(poets).toMatch(/asked for tasks +never: the process of the app has to ask/);
    const writers = (await gatefold('app_api:doctor', 'writer')).printed;
    expect(writers).toContain('gets the tasks, none waits');
    expect(writers).toMatch(/asked for tasks +20\d\d-\S+Z/);
    expect(writers).toContain(': no idea');
  });
});
