import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LifecyclePace } from '../../src/app-api/apps/lifecycle/lifecycle-pace.service.js';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { ExAppLog } from '../../src/app-api/apps/log/ex-app-log.service.js';
import { RegistrationsRepository } from '../../src/app-api/capabilities/registrations.repository.js';
import { NodeEvents } from '../../src/common/ports/node-events.js';
import { json, knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { found } from '../support/until.js';

const PLAIN = '/apps/app_api';

let gateway: TestApp;
let admin: TestUser;
let ada: TestUser;
let app: ExternalApp;
let apps = 0;

beforeAll(async () => {
  gateway = await startApp();
  admin = gateway.asAdmin();
  ada = await gateway.signInOnce('ada');
  const pace = gateway.inside(LifecyclePace);
  pace.pause = async (_milliseconds, signal) => signal?.throwIfAborted();
});
afterAll(() => gateway?.stop());

beforeEach(async () => {
  apps += 1;
  app = await startExternalApp(gateway, { appId: `app-${apps}` });
});
afterEach(async () => {
  await app.close();
  await gateway.database.query('delete from ex_app');
});

const settled = () => gateway.inside(LifecycleService).settled();

async function get<Data>(path: string): Promise<Data> {
  const { status, json: data } = await admin.get(`${PLAIN}${path}`);
  expect(status).toBe(200);
  return data as Data;
}

interface Line {
  readonly time: string;
  readonly level: number;
  readonly source: string;
  readonly message: string;
}

const linesOf = async (appId: string, query = '') =>
  (await get<{ lines: Line[] }>(`/apps/logs/${appId}${query}`)).lines;

const say = (level: number, message: string) =>
  app.as().ocs('POST', '/api/v1/log', { json: { level, message } });

describe('apps/register', () => {
  const XML = `<?xml version="1.0"?><info><id>ID</id><name>Gulls</name><version>2.3.4</version>
    <external-app><routes><route><url>api/.*</url><verb>GET</verb><access_level>USER</access_level>
    </route></routes></external-app></info>`;

  it('accepts address and secret beside an info.xml, as the form of the page sends them', async () => {
    const answer = await admin.post(`${PLAIN}/apps/register`, {
      appId: '',
      daemonName: '',
      jsonInfo: '',
      infoXml: XML.replace('ID', app.appId),
      baseUrl: `${app.baseUrl}/`,
      secret: app.secret,
    });
    await settled();

    expect(answer).toMatchObject({
      status: 200,
      json: {
        secret: app.secret,
        app: { id: app.appId, name: 'Gulls', version: '2.3.4', base_url: app.baseUrl },
      },
    });
    expect((await app.received('/init')).authenticated).toBe(true);
  });

  it('names the problem of an invalid address', async () => {
    const body = { infoXml: XML.replace('ID', app.appId), baseUrl: 'somewhere' };

    expect(await admin.post(`${PLAIN}/apps/register`, body)).toMatchObject({
      status: 400,
      json: { message: expect.stringContaining('"base_url" must be an http or https address') },
    });
  });
});

describe('apps/info', () => {
  it('shows the manifest and the registrations of an app without calling it', async () => {
    await knowApp(gateway, app);
    const registrations = gateway.inside(RegistrationsRepository);
    await registrations.save(app.appId, 'top_menu', 'gulls', {
      name: 'gulls',
      displayName: 'Gulls',
    });
    await registrations.save(app.appId, 'events_listener', 'node_event', {});

    expect(await get(`/apps/info/${app.appId}`)).toEqual({
      app: expect.objectContaining({ id: app.appId, enabled: true, last_check_time: 0 }),
      routes: [],
      closed_to_browsers: [],
      init_timeout_minutes: 40,
      registrations: [
        { kind: 'top_menu', name: 'gulls', display_name: 'Gulls' },
        { kind: 'events_listener', name: 'node_event', display_name: '' },
      ],
    });
    expect(app.requests('/heartbeat')).toEqual([]);
    expect((await admin.get(`${PLAIN}/apps/info/nobody`)).status).toBe(404);
  });

  it('never contains the secret of the app or of its bots', async () => {
    await knowApp(gateway, app);
    const { data } = await app.as().ocs('POST', '/api/v1/talk_bot', {
      json: { name: 'Bot', route: 'bot', description: 'listens' },
    });

    const text = JSON.stringify(await get(`/apps/info/${app.appId}`));

    expect(text).toContain('talk_bot');
    expect(text).not.toContain(app.secret);
    expect(text).not.toContain((data as { secret: string }).secret);
    expect(text).not.toContain('ealed');
  });
});

describe('apps/check', () => {
  it('shows whether the service answers at the address that apps are told', async () => {
    await knowApp(gateway, app);

    expect((await admin.post(`${PLAIN}/apps/check/${app.appId}`)).json).toMatchObject({
      heartbeat: { alive: true },
      calls_back_at: { address: gateway.url, answers: true },
    });
  });
});

describe('apps/logs', () => {
  it('has the lines of the app, newest first', async () => {
    await knowApp(gateway, app);
    await say(1, 'one');
    await say(3, 'two \0');

    expect(await linesOf(app.appId)).toEqual([
      { time: expect.stringMatching(/Z$/), level: 3, source: 'app', message: 'two ' },
      { time: expect.any(String), level: 1, source: 'app', message: 'one' },
    ]);
    expect(await linesOf(app.appId, '?limit=1')).toHaveLength(1);
  });

  it('contains the lines of the host about it', async () => {
    app.on('/init', json({}, 501));
    app.on('/enabled', json({ error: 'no disk' }));
    await admin.post(`${PLAIN}/apps/register`, {
      appId: app.appId,
      jsonInfo: { version: '1.0.0', secret: app.secret, base_url: app.baseUrl },
    });
    await settled();

    const lines = await linesWith(app.appId, 2);
    expect(lines.map(({ source, message }) => [source, message]).toReversed()).toEqual([
      ['host', `version 1.0.0 is registered at ${app.baseUrl}`],
      ['host', expect.stringContaining('no disk')],
    ]);
  });

  it('has the lines of the host in their order, also when there are many at once', async () => {
    await knowApp(gateway, app);
    const messages = Array.from({ length: 50 }, (_, n) => `line ${n}`);

    for (const message of messages) {
      gateway.inside(ExAppLog).note(app.appId, message);
    }
    await gateway.inside(ExAppLog).written();

    const lines = await linesOf(app.appId);
    expect(lines.map(({ message }) => message).toReversed()).toEqual(messages);
  });

  it('keeps the latest 500 lines of an app, and none of an unregistered app', async () => {
    await knowApp(gateway, app);
    await gateway.database.query(
      `insert into ex_app_log_line (app_id, level, source, message)
       select $1, 1, 'app', 'line ' || n from generate_series(1, 500) n`,
      [app.appId],
    );

    await say(1, 'last');
    const kept = await linesOf(app.appId, '?limit=500');
    await admin.post(`${PLAIN}/apps/uninstall/${app.appId}`);

    expect([kept.length, kept[0]?.message, kept.at(-1)?.message]).toEqual([500, 'last', 'line 2']);
    expect(await gateway.database.query('select 1 from ex_app_log_line')).toEqual([]);
    expect((await admin.get(`${PLAIN}/apps/logs/${app.appId}`)).status).toBe(404);
  });

  it.each(['0', '501', 'many'])('refuses a limit of %s', async (limit) => {
    await knowApp(gateway, app);

    expect((await admin.get(`${PLAIN}/apps/logs/${app.appId}?limit=${limit}`)).status).toBe(422);
  });

  function linesWith(appId: string, count: number): Promise<Line[]> {
    return found(`${count} lines`, async () => {
      const lines = await linesOf(appId);
      return lines.length >= count ? lines : null;
    });
  }
});

interface DeadLetter {
  readonly kind: string;
  readonly id: string;
}

const deadLetters = async () =>
  (await get<{ dead_letters: DeadLetter[] }>('/dead-letters')).dead_letters;

/** An event that the app rejects permanently. */
async function aDeadLetter(): Promise<DeadLetter> {
  await knowApp(gateway, app);
  app.on('/events', json({}, 410));
  await gateway.inside(RegistrationsRepository).save(app.appId, 'events_listener', 'node_event', {
    eventType: 'node_event',
    eventSubtypes: [],
    actionHandler: 'events',
  });
  await gateway.inside(NodeEvents).publish({
    subtype: 'NodeCreatedEvent',
    userId: 'ada',
    target: {
      fileId: 7,
      name: 'private thoughts.txt',
      directory: '/',
      etag: '',
      mime: 'text/plain',
      fileType: 'file',
      mtimeSeconds: 1,
      sizeBytes: 1,
      favorite: false,
      permissions: 31,
      userId: 'ada',
      instanceId: 'oc1',
    },
  });
  return theDeadLetter();
}

function theDeadLetter(): Promise<DeadLetter> {
  return found('a dead letter', async () => (await deadLetters())[0]);
}

const recorded = (subjectId: string) =>
  gateway.database.query('select kind, details from security_event where subject_id = $1', [
    subjectId,
  ]);

describe('dead letters', () => {
  afterEach(() =>
    gateway.database.query(`delete from job.job where name = 'event-delivery.dead-letters'`),
  );

  it('are listed with their error, without their contents', async () => {
    const letter = await aDeadLetter();

    expect(letter).toEqual({
      kind: 'event-delivery',
      id: expect.any(String),
      key: `${app.appId}/node_event`,
      error: `${app.appId} answered NodeCreatedEvent with status 410`,
      attempts: 1,
      sent_at: expect.any(Number),
      given_up_at: expect.any(Number),
    });
    expect(await get('/queues')).toMatchObject({
      queues: expect.arrayContaining([
        expect.objectContaining({ kind: 'event-delivery', failed: 1 }),
        expect.objectContaining({ kind: 'provider-task', failed: 0 }),
      ]),
    });
  });

  it('are listed in pages, newest first, with their total', async () => {
    const { id } = await aDeadLetter();
    await gateway.database.query(
      `insert into job.job (name, data, created_on)
       select name, data || jsonb_build_object('error', 'older ' || n), created_on - n * interval '1 minute'
         from job.job, generate_series(1, 60) n where id = $1`,
      [id],
    );
    type Page = { total: number; dead_letters: { id: string; error: string }[] };
    const first = await get<Page>('/dead-letters');
    const second = await get<Page>('/dead-letters?limit=20&offset=50');
    const beyond = await get<Page>('/dead-letters?offset=61');

    expect(first.total).toBe(61);
    expect(first.dead_letters).toHaveLength(50);
    expect(first.dead_letters[0]).toMatchObject({ id });
    expect(second.dead_letters.map(({ error }) => error)).toEqual(
      Array.from({ length: 11 }, (_, n) => `older ${50 + n}`),
    );
    expect(beyond).toEqual({ total: 61, dead_letters: [] });
    for (const query of ['limit=0', 'limit=501', 'offset=-1', 'offset=x']) {
      expect((await admin.get(`${PLAIN}/dead-letters?${query}`)).status).toBe(422);
    }
  });

  it('are delivered again by retry', async () => {
    const { kind, id } = await aDeadLetter();
    app.on('/events', json({}));

    const answer = await admin.post(`${PLAIN}/dead-letters/${kind}/${id}/retry`);

    expect(answer).toMatchObject({ status: 200, json: {} });
    await app.received('/events', 2);
    expect(await deadLetters()).toEqual([]);
    expect(await recorded(id)).toEqual([
      { kind: 'tasks_changed', details: `dead letter of ${kind} queued again` },
    ]);
  });

  it('are deleted', async () => {
    const { kind, id } = await aDeadLetter();

    const dropped = await admin.delete(`${PLAIN}/dead-letters/${kind}/${id}`);

    expect(dropped).toMatchObject({ status: 200, json: {} });
    expect(await recorded(id)).toEqual([
      { kind: 'tasks_changed', details: `dead letter of ${kind} dropped` },
    ]);
    expect(await deadLetters()).toEqual([]);
    expect((await admin.delete(`${PLAIN}/dead-letters/${kind}/${id}`)).status).toBe(404);
  });

  it.each(['event-delivery/no-id', 'no-such-kind/00000000-0000-7000-8000-000000000000'])(
    'answer 404 for %s',
    async (letter) => {
      expect((await admin.delete(`${PLAIN}/dead-letters/${letter}`)).status).toBe(404);
      expect((await admin.post(`${PLAIN}/dead-letters/${letter}/retry`)).status).toBe(404);
    },
  );
});

describe('tasks', () => {
  it('are listed newest first and counted, without their contents', async () => {
    await knowApp(gateway, app);
    await gateway.inside(RegistrationsRepository).save(app.appId, 'text_processing', 'p', {
      name: 'p',
      actionHandler: 'work',
      taskType: 'summary',
    });
    app.on('/work', json({}, 500));
    for (const input of ['secret thoughts', 'more of them']) {
      await ada.post('/ocs/v2.php/textprocessing/schedule', { input, type: 'summary' });
    }
    await app.received('/work', 2);

    const counts = await countsWith(2);
    const { tasks } = await get<{ tasks: object[] }>('/tasks');
    const [newest] = (await get<{ tasks: object[] }>('/tasks?limit=1')).tasks;

    expect(counts).toEqual({ queued: 0, running: 0, done: 0, failed: 2 });
    expect(tasks).toHaveLength(2);
    expect(tasks[0]).toEqual(newest);
    expect(newest).toEqual({
      id: expect.any(Number),
      kind: 'text_processing',
      app_id: app.appId,
      provider: 'p',
      user_id: 'ada',
      state: 'failed',
      progress: null,
      error: 'The provider answered with status 500.',
      created_at: expect.any(Number),
      started_at: null,
      finished_at: expect.any(Number),
    });
  });

  function countsWith(failed: number) {
    return found(`${failed} failed tasks`, async () => {
      const { tasks } = await get<{ tasks: { failed: number } }>('/queues');
      return tasks.failed === failed ? tasks : null;
    });
  }
});

describe('all routes', () => {
  it.each([
    ['GET', 'apps/info/x'],
    ['GET', 'apps/logs/x'],
    ['GET', 'queues'],
    ['GET', 'tasks'],
    ['GET', 'dead-letters'],
    ['POST', 'dead-letters/event-delivery/x/retry'],
    ['DELETE', 'dead-letters/event-delivery/x'],
  ])('are for administrators only: %s %s', async (method, path) => {
    expect((await ada.call(method, `${PLAIN}/${path}`)).status).toBe(403);
    expect((await gateway.asStranger().call(method, `${PLAIN}/${path}`)).status).toBe(401);
  });
});
