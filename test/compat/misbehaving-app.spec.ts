import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import http, { type ServerResponse } from 'node:http';
import { ExAppRoutesRepository } from '../../src/app-api/apps/routes/ex-app-routes.repository.js';
import {
  EVENT_DELIVERIES,
  EventDeliveryService,
} from '../../src/app-api/events/event-delivery.service.js';
import { JobQueue } from '../../src/database/jobs/job-queue.js';
import { basic } from '../support/api-client.js';
import { Chatter } from '../support/chatter.js';
import { DavClient } from '../support/dav-client.js';
import {
  json,
  knowApp,
  startExternalApp,
  toOcs,
  type ExternalApp,
  type Handler,
} from '../support/external-app.js';
import { HELLO_APP, startHelloApp, type HelloApp } from '../support/hello-app.js';
import { itLong } from '../support/long.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { found, until, within } from '../support/until.js';

/**
 * Beside the example app runs one that hangs, lies, sends garbage or is gone, and takes precedence
 * as a provider. The example app must work without interruption, and so must requests that involve
 * neither.
 */

const ROGUE = 'rogue';
const TASKS = '/ocs/v2.php/textprocessing';
const NOTIFICATIONS = '/ocs/v2.php/apps/notifications/api/v2/notifications';
const FILE_ACTIONS = '/ocs/v2.php/apps/app_api/api/v1/files-actions';

let gateway: TestApp;
let hello: HelloApp;
let rogue: ExternalApp;
let ada: TestUser;
let files: DavClient;
let chat: Chatter;
let names = 0;
const visits: http.ClientRequest[] = [];

beforeAll(async () => {
  gateway = await startApp();
  ada = await gateway.signInOnce('ada');
  files = new DavClient(ada);
  chat = new Chatter(ada);
  hello = await startHelloApp(gateway);
});
afterAll(async () => {
  await hello?.stop();
  await gateway?.stop();
});

beforeEach(async () => {
  rogue = await startExternalApp(gateway, { appId: ROGUE });
  await knowApp(gateway, rogue);
  await gateway
    .inside(ExAppRoutesRepository)
    .replace(ROGUE, [
      { url: 'page', verb: 'GET', accessLevel: 1, headersToExclude: [], bruteforceStatuses: [] },
    ]);
  const announce = async (path: string, body: object) =>
    expect(await rogue.as().ocs('POST', path, { json: body })).toMatchObject({ statuscode: 100 });
  await announce('/api/v1/ui/top-menu', { name: ROGUE, displayName: 'Rogue' });
  await announce('/api/v1/events_listener', { eventType: 'node_event', actionHandler: 'event' });
  await announce('/api/v1/talk_bot', { name: 'Rogue bot', route: 'bot', description: '' });
  await announce('/api/v2/ui/files-actions-menu', {
    name: 'act',
    displayName: 'Act',
    actionHandler: 'action',
    mime: 'file',
  });
  await announce('/api/v1/ai_provider/text_processing', {
    name: ROGUE,
    displayName: 'Rogue',
    taskType: 'summary',
    actionHandler: 'task',
  });
  // The oldest provider of a type is asked first, here the rogue.
  await gateway.database.query(
    `update ex_app_registration set id = default
      where app_id = $1 and kind = 'text_processing' and key = 'hello-summary'`,
    [HELLO_APP.appId],
  );
});
afterEach(async () => {
  for (const visit of visits.splice(0)) {
    visit.destroy();
  }
  await rogue.close();
  await gateway.database.query(`delete from ex_app where app_id = $1`, [ROGUE]);
  await gateway.database.query(`delete from chat_bot`);
  await gateway.database.query('delete from job.job');
});

interface Task {
  readonly id: number;
  readonly status: number;
  readonly output: string | null;
  readonly errorMessage?: string;
}

async function ask<Data>(method: string, path: string, body?: object) {
  const options = body === undefined ? {} : { json: body };
  const answer = toOcs(await ada.call(method, path, { query: { format: 'json' }, ...options }));
  expect(answer).toMatchObject({ statuscode: 200 });
  return answer.data as Data;
}

async function schedule(type: string): Promise<Task> {
  const wish = { type, input: 'The truth. More. And more.' };
  return (await ask<{ task: Task }>('POST', `${TASKS}/schedule`, wish)).task;
}
async function look({ id }: Task): Promise<Task> {
  return (await ask<{ task: Task }>('GET', `${TASKS}/task/${id}`)).task;
}
const finished = (task: Task) =>
  found(`the end of task ${task.id}`, async () => {
    const seen = await look(task);
    return seen.status > 2 ? seen : null;
  });

const wake = () => gateway.inside(JobQueue).wake(EVENT_DELIVERIES, 8);

async function aFile(): Promise<{ readonly name: string; readonly id: number }> {
  const name = `file ${(names += 1)}.txt`;
  await files.put(`/${name}`, 'words');
  wake();
  return { name, id: Number(await files.property(`/${encodeURIComponent(name)}`, 'oc:fileid')) };
}

const bots = (token: string) => chat.data<{ id: number; name: string }[]>('GET', `v1/bot/${token}`);
async function enableBot(token: string, name: string): Promise<void> {
  const bot = (await bots(token)).find((one) => one.name === name);
  await chat.data('POST', `v1/bot/${token}/${bot?.id}`);
}

/** Requests a page and reads only the status, like a browser that is slow or disconnects. */
function open(path: string): Promise<number | Error> {
  const headers = { authorization: basic(ada.credentials) };
  return new Promise((resolve) => {
    const request = http.get(`${gateway.url}${path}`, { headers, agent: false });
    request.on('response', ({ statusCode = 0 }) => resolve(statusCode)).on('error', resolve);
    visits.push(request);
  });
}

const ended = (page: Promise<unknown>) => within('the end of a page', page);

/** Uses everything of the rogue's without waiting for results. */
async function useTheRogue() {
  const token = await chat.group('With a rogue');
  await enableBot(token, 'Rogue bot');
  const file = await aFile();
  return {
    token,
    task: await schedule('summary'),
    action: ada.post(`${FILE_ACTIONS}/${ROGUE}/act?format=json`, { fileIds: [file.id] }),
    page: open(`/apps/app_api/proxy/${ROGUE}/page`),
  };
}

/** All of the example app, and requests that need no app, must work. */
async function theRestIsWell(token: string): Promise<void> {
  const menu = await ask<{ id: string }[]>('GET', '/ocs/v2.php/core/navigation/apps');
  expect(menu.map(({ id }) => id)).toContain('app_api_hello-app_hello');
  const page = await ada.get(`/apps/app_api/proxy/${HELLO_APP.appId}/api/greeting`);
  expect(page.status).toBe(200);
  const wish = { text: 'land', toLanguage: 'shout' };
  const translated = await ask('POST', '/ocs/v2.php/translation/translate', wish);
  expect(translated).toMatchObject({ text: 'LAND' });
  expect(await finished(await schedule('headline'))).toMatchObject({ output: 'The truth' });

  const file = await aFile();
  const path = `${FILE_ACTIONS}/${HELLO_APP.appId}/describe`;
  const action = await ask<{ redirect: string }>('POST', path, { fileIds: [file.id] });
  expect(action.redirect).toContain(`fileIds=${file.id}`);
  await until('a notification of the example app', async () => {
    const list = await ask<{ subject: string }[]>('GET', NOTIFICATIONS);
    return list.some(({ subject }) => subject === `Hello, ${file.name}!`);
  });

  await enableBot(token, 'Hello bot');
  const { id } = await chat.say(token, 'Hello!');
  await chat.poll(token, id);
  expect(await chat.heard(token)).toEqual(['Hello!', 'Hello, ada!']);

  for (const ordinary of [
    '/status.php',
    '/ocs/v2.php/cloud/user',
    '/index.php/apps/news/api/v1-3/feeds',
  ]) {
    expect((await ada.get(ordinary)).status).toBe(200);
  }
}

/** Writes as fast as the receiver reads. */
function talkOnAndOn(response: ServerResponse): void {
  const piece = Buffer.alloc(64 * 1024, ' ');
  const talk = () => {
    while (!response.destroyed && response.write(piece)) {}
  };
  response.on('drain', talk);
  talk();
}

const behave = (handler: Handler) => {
  for (const path of ['/event', '/task', '/action', '/page', '/bot']) {
    rogue.on(path, handler);
  }
};

/** Until the rogue has received all requests. */
const isAtIt = () =>
  Promise.all(['/event', '/task', '/action', '/page', '/bot'].map((path) => rogue.received(path)));

describe('an app that never finishes', () => {
  const expectNobodyDelayed = async (handler: Handler) => {
    behave(handler);
    const { token, task, action, page } = await useTheRogue();
    await isAtIt();

    await theRestIsWell(token);

    expect((await look(task)).status).toBeLessThan(3);
    await rogue.close();
    await Promise.all([action, ended(page)]);
  };

  it('(it hangs) delays nobody else', () => expectNobodyDelayed(() => {}));
  itLong.each<[string, Handler]>([
    ['talks without an end', (_request, response) => talkOnAndOn(response)],
    [
      'sends headers and hangs',
      (_request, response) => void response.writeHead(200).flushHeaders(),
    ],
    [
      'sends half of its headers and hangs',
      (_request, response) => void response.socket?.write('HTTP/1.1 200 OK\r\nX-Half: '),
    ],
  ])('(it %s) delays nobody else', (_how, handler) => expectNobodyDelayed(handler));
});

describe('an app that answers with errors', () => {
  const expectOnlyItself = async (handler: Handler, outcome: number) => {
    behave(handler);
    const { token, action, page } = await useTheRogue();
    await isAtIt();

    await theRestIsWell(token);

    const { statuscode, data } = toOcs(await action);
    expect(statuscode).toBe(outcome);
    expect(JSON.stringify(data ?? '')).not.toContain('//evil.example');
    await ended(page);
  };

  it.each<[string, Handler, number]>([
    ['500', (_request, response) => void response.writeHead(500).end('{"half": '), 503],
  ])('(%s) affects only itself', (_what, handler, outcome) => expectOnlyItself(handler, outcome));
  itLong.each<[string, Handler, number]>([
    ['a redirect elsewhere', (_r, response) => redirect(response), 503],
    ['a redirect handler that leads out', json({ redirect_handler: '//evil.example/' }), 200],
    ['no JSON', (_request, response) => void response.end('{"half": '), 200],
    ['JSON of other types', json([{ redirect_handler: ['x'], task: null }]), 200],
    ['a redirect handler that is none', json({ redirect_handler: { a: 1 } }), 200],
    ['a body too large', json('x'.repeat(3 * 1024 * 1024)), 503],
    ['garbage', (_request, response) => void response.socket?.end('\u0000 no HTTP \r\n\r\n'), 503],
  ])('(%s) affects only itself', (_what, handler, outcome) => expectOnlyItself(handler, outcome));

  const redirect = (response: ServerResponse) =>
    void response.writeHead(302, { location: `${gateway.url}/status.php` }).end();

  it('is named in the errors of its failed work', async () => {
    behave((_request, response) => void response.writeHead(500).end('{"half": '));

    const failed = await finished(await schedule('summary'));

    expect(failed).toMatchObject({
      status: 4,
      errorMessage: 'The provider answered with status 500.',
    });
    const { json: log } = await gateway.asAdmin().get(`/apps/app_api/apps/logs/${ROGUE}`);
    expect(JSON.stringify(log)).toContain('answered with status 500');
  });

  it('receives a rejected event again when an administrator retries it', async () => {
    const admin = gateway.asAdmin();
    rogue.on('/event', json({ error: 'unreadable' }, 422));
    const letters = async () =>
      ((await admin.get('/apps/app_api/dead-letters')).json as { dead_letters: { id: string }[] })
        .dead_letters;
    const file = await aFile();
    // Created and written; the second is tried although the first was rejected.
    await rogue.received('/event', 2);
    const dead = await found('two dead letters', async () => {
      const all = await letters();
      return all.length < 2 ? null : all;
    });

    rogue.on('/event', json({}));
    const id = dead.at(-1)?.id ?? '';
    const path = `/apps/app_api/dead-letters/${EVENT_DELIVERIES.name}/${id}/retry`;
    expect((await ada.post(path)).status).toBe(403);
    expect((await admin.post(path)).status).toBe(200);

    const again = await rogue.received('/event', 3);
    expect(JSON.parse(again.body.toString())).toMatchObject({
      event_subtype: 'NodeCreatedEvent',
      event_data: { target: { name: file.name } },
    });
    expect(dead[0]).toMatchObject({
      kind: EVENT_DELIVERIES.name,
      key: `${ROGUE}/node_event`,
      error: `${ROGUE} answered NodeWrittenEvent with status 422`,
      attempts: 1,
    });
    await until('one dead letter', async () => (await letters()).length === 1);
  });

  it('loses an event after a day, and receives the later ones', async () => {
    rogue.on('/event', json({}, 500));
    await aFile();
    await rogue.received('/event');
    rogue.on('/event', json({}, 500));
    const yesterday = `update job.job
        set created_on = created_on - interval '25 hours', start_after = now()
      where name = 'event-delivery' and state = 'retry' returning 1`;
    await until('a retry', async () => (await gateway.database.query(yesterday)).length > 0);
    wake();
    const deliveries = gateway.inside(EventDeliveryService);
    await until('a dead letter', async () => (await deliveries.deadLetters()).length > 0);
    rogue.on('/event', json({}));
    wake();

    const seen = await rogue.received('/event', 3);
    expect(JSON.parse(seen.body.toString())).toMatchObject({ event_subtype: 'NodeWrittenEvent' });
  });
});

describe('an app that lies', () => {
  it('cannot report another app’s tasks or read data of others', async () => {
    behave(json({}));
    const task = await schedule('headline');

    const lie = await rogue.as('ada').ocs('PUT', '/api/v1/ai_provider/text_processing', {
      json: { taskId: task.id, result: 'a lie' },
    });
    const values = await rogue.as('ada').ocs('POST', '/api/v1/ex-app/preference/get-values', {
      json: { configKeys: ['greeting_word', 'greeted_times'] },
    });
    const disguised = await rogue.as('ada').ocs('DELETE', '/api/v1/ui/top-menu', {
      query: { name: 'hello' },
      headers: { 'ex-app-id': HELLO_APP.appId },
    });

    expect(lie.statuscode).toBe(404);
    expect(values.data).toEqual([]);
    expect(disguised).toMatchObject({ httpStatus: 401, statuscode: 997 });
    expect(await finished(task)).toMatchObject({ output: 'The truth' });
  });

  it('cannot send messages as another bot, or in conversations without its bot', async () => {
    const token = await chat.group('Without a rogue');
    const say = (headers: Record<string, string>) =>
      gateway.asStranger().call('POST', `/ocs/v2.php/apps/spreed/api/v1/bot/${token}/message`, {
        headers: { accept: 'application/json', 'ocs-apirequest': 'true', ...headers },
        json: { message: 'psst' },
      });

    const answer = await say({
      'x-nextcloud-talk-bot-random': 'r'.repeat(64),
      'x-nextcloud-talk-bot-signature': '0'.repeat(64),
    });

    expect(answer.status).toBe(401);
    expect(await chat.heard(token)).toEqual([]);
  });
});

describe('an app that is gone', () => {
  it('answers 502 for its page, and leaves everything else to other apps', async () => {
    await rogue.close();
    const { token, page, action } = await useTheRogue();
    const checked = await gateway.asAdmin().post(`/apps/app_api/apps/check/${ROGUE}`);

    await theRestIsWell(token);
    const summary = await finished(await schedule('summary'));

    expect(await ended(page)).toBe(502);
    expect(toOcs(await action).statuscode).toBe(503);
    expect(checked.json).toMatchObject({ heartbeat: { alive: false, status: null } });
    expect(summary).toMatchObject({ status: 3, output: 'The truth. More' });
  });
});
