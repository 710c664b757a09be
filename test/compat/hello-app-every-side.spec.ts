import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseHTML } from 'linkedom';
import { runInNewContext } from 'node:vm';
import { CommandExecutionService } from '../../src/app-api/command-execution.service.js';
import { FileActionsService } from '../../src/app-api/file-actions.service.js';
import { ChatBots } from '../../src/common/ports/chat-bots.js';
import {
  NODE_EVENT_SUBTYPES,
  NodeEvents,
  type EventNode,
} from '../../src/common/ports/node-events.js';
import { UiContributions } from '../../src/common/ports/ui-contributions.js';
import type { Account } from '../../src/common/ports/user-directory.js';
import { basic } from '../support/api-client.js';
import {
  json,
  knowApp,
  startExternalApp,
  toOcs,
  type ExternalApp,
} from '../support/external-app.js';
import { HELLO_APP, startHelloApp, type HelloApp } from '../support/hello-app.js';
import { startHostWithRooms, type HostWithRooms } from '../support/host-with-rooms.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';

/*
 * The example app from every side that users and administrators see, over HTTP wherever there is a
 * route. Files and chat are stand-ins; everything else is the whole service.
 */

const FORMS = '/ocs/v2.php/settings/api/declarative';
const NOTIFICATIONS = '/ocs/v2.php/apps/notifications/api/v2/notifications';
const CHAT = '/ocs/v2.php/apps/spreed/api/v1/bot';
const FILES = '/remote.php/dav/files';

const ADA: Account = { userId: 'ada', displayName: 'Ada', isAdmin: false, lastLoginSeconds: 0 };
const NODE: EventNode = {
  fileId: 7,
  name: 'tide table.txt',
  directory: '/Sea',
  etag: 'abc',
  mime: 'text/plain',
  fileType: 'file',
  mtimeSeconds: 1_700_000_000,
  sizeBytes: 23,
  favorite: false,
  permissions: 31,
  userId: 'ada',
  instanceId: 'oc1',
};

let gateway: TestApp;
let host: HostWithRooms;
let hello: HelloApp;
let ada: TestUser;
let ben: TestUser;

beforeAll(async () => {
  gateway = await startApp();
  host = await startHostWithRooms(gateway.url, {
    [CHAT]: '{}',
    [FILES]: 'the tide is late again',
  });
  ada = await gateway.signInOnce('ada');
  ben = await gateway.signInOnce('ben');
  hello = await startHelloApp(gateway, host.url);
});
afterAll(async () => {
  await hello?.stop();
  await host?.close();
  await gateway?.stop();
});

const service = <Service>(token: abstract new (...args: never[]) => Service): Service =>
  gateway.app.get(token as never, { strict: false });

/** The `data` of an answer that must be a good one. */
async function ask<Data>(user: TestUser, method: string, path: string, body?: object) {
  const options = body === undefined ? {} : { json: body };
  const answer = toOcs(await user.call(method, path, { query: { format: 'json' }, ...options }));
  expect(answer).toMatchObject({ statuscode: 200 });
  return answer.data as Data;
}

interface Form {
  readonly id: string;
  readonly app: string;
  readonly fields: readonly {
    readonly id: string;
    readonly type: string;
    readonly value: unknown;
  }[];
}

async function valuesIn(user: TestUser, formId: string): Promise<Record<string, unknown>> {
  const forms = await ask<Form[]>(user, 'GET', `${FORMS}/forms`);
  const fields = forms.find(({ id }) => id === formId)?.fields ?? [];
  return Object.fromEntries(fields.map(({ id, value }) => [id, value]));
}

const save = (user: TestUser, formId: string, fieldId: string, value: unknown) =>
  ask(user, 'POST', `${FORMS}/value`, { app: HELLO_APP.appId, formId, fieldId, value });

const ENTERED = {
  name: 'Ada',
  password: 'very secret',
  mail: 'ada@example.org',
  phone: '+44 20 7946 0000',
  page: 'https://example.org/ada',
  cups: 3,
  awake: false,
  colours: { red: false, green: true },
  colour: 'green',
  size: 'large',
  toppings: ['nuts', 'cream'],
};
const READ_BACK = {
  ...ENTERED,
  password: 'dummySecret',
  cups: '3',
  awake: '0',
  colours: '{"red":false,"green":true}',
  toppings: '["nuts","cream"]',
};

interface Task {
  readonly id: number;
  readonly status: number;
  readonly output: string | null;
}

/** The task, as soon as it is over. */
async function finished(path: string): Promise<Task> {
  for (;;) {
    const { task } = await ask<{ task: Task }>(ada, 'GET', path);
    if (task.status > 2) return task;
  }
}

async function processed(type: string, input: string): Promise<Task> {
  const root = '/ocs/v2.php/textprocessing';
  const { task } = await ask<{ task: Task }>(ada, 'POST', `${root}/schedule`, { type, input });
  return finished(`${root}/task/${task.id}`);
}

const translate = (text: string) =>
  ask(ada, 'POST', '/ocs/v2.php/translation/translate', { text, toLanguage: 'shout' });

const publish = (subtype: EventNode['name'], node = NODE) =>
  service(NodeEvents).publish({
    subtype: subtype as (typeof NODE_EVENT_SUBTYPES)[number],
    userId: 'ada',
    target: node,
    ...(/Renamed|Copied/.test(subtype) && { source: { ...node, name: 'old.txt' } }),
  });

interface Notification {
  readonly notification_id: number;
  readonly subject: string;
}

async function notified(subject: string): Promise<Notification> {
  for (;;) {
    const list = await ask<Notification[]>(ada, 'GET', NOTIFICATIONS);
    const found = list.find((shown) => shown.subject === subject);
    if (found !== undefined) return found;
  }
}

describe('settings', () => {
  it('of a user: every type of field is saved, read back, and that user’s alone', async () => {
    for (const [field, value] of Object.entries(ENTERED)) {
      await save(ada, 'hello-settings', field, value);
    }

    expect(await valuesIn(ada, 'hello-settings')).toEqual({ greeting_word: 'Hello', ...READ_BACK });
    expect(await valuesIn(ben, 'hello-settings')).toMatchObject({ name: '', cups: '2' });
  });

  it('of the administrator: the same for all, and not shown to users', async () => {
    const admin = gateway.asAdmin();
    for (const [field, value] of Object.entries(ENTERED)) {
      await save(admin, 'hello-administration', field, value);
    }

    expect(await valuesIn(admin, 'hello-administration')).toEqual(READ_BACK);
    expect(await valuesIn(ada, 'hello-administration')).toEqual({});
  });

  it('are what the app greets by', async () => {
    await save(ada, 'hello-settings', 'greeting_word', 'Ahoy');

    const { json: answer } = await ada.get(`/apps/app_api/proxy/${HELLO_APP.appId}/api/greeting`);

    expect(answer).toEqual({ text: 'Ahoy, ada!' });
  });
});

describe('the page', () => {
  it('runs in the host’s shell: initial state, chosen files, and a call to its app', async () => {
    const page = await service(UiContributions).page(ADA, HELLO_APP.appId, 'hello');
    const [scriptPath = ''] = page?.scriptPaths ?? [];
    const [stylePath = ''] = page?.stylePaths ?? [];
    const { document } = parseHTML(shell(scriptPath, page?.initialStates ?? []));
    const script = await ada.get(scriptPath);

    runInNewContext(script.text, {
      document,
      location: { search: '?fileIds=7,8' },
      fetch: (path: string) =>
        fetch(gateway.url + path, { headers: { authorization: basic(ada.credentials) } }),
      atob,
      TextDecoder,
      URLSearchParams,
    });
    while (document.querySelector('.hello') === null) {
      await new Promise(setImmediate);
    }

    const paragraphs = [...document.querySelectorAll('#content p')];
    expect(paragraphs.map(({ textContent }) => textContent)).toEqual([
      'Hello!',
      'Hello to the files 7 and 8!',
      expect.stringMatching(/, ada!$/),
    ]);
    expect((await ada.get(stylePath)).headers['content-type']).toContain('text/css');
  });

  function shell(
    scriptPath: string,
    states: readonly { readonly key: string; readonly value: unknown }[],
  ): string {
    const inputs = states.map(({ key, value }) => {
      const text = Buffer.from(JSON.stringify(value)).toString('base64');
      return `<input type="hidden" id="initial-state-app_api-${key}" value="${text}">`;
    });
    return `<!doctype html><html><head><title>Shell</title></head><body>${inputs.join('')}
      <div id="content"></div><script src="${scriptPath}"></script></body></html>`;
  }
});

describe('files', () => {
  it('a file action reads the file in its user’s name, and leads to the page', async () => {
    const outcome = await service(FileActionsService).invoke(ADA, HELLO_APP.appId, 'describe', [
      NODE,
    ]);

    expect(await hello.line(/hello to/)).toBe('hello to tide table.txt (23 bytes, 5 words)');
    expect(outcome.redirect).toMatch(/embedded\/hello-app\/hello\/files\?fileIds=7$/);
    const visit = await host.visit(1);
    expect(visit).toMatchObject({ method: 'GET', path: `${FILES}/ada/Sea/tide%20table.txt` });
    const credentials = String(visit.headers['authorization-app-api']);
    expect(Buffer.from(credentials, 'base64').toString()).toBe(`ada:${HELLO_APP.secret}`);
  });

  it('all six events arrive, in their order', async () => {
    for (const subtype of NODE_EVENT_SUBTYPES) {
      await publish(subtype);
    }

    const lines: string[] = [];
    for (const _ of NODE_EVENT_SUBTYPES) lines.push(await hello.line(/Node\w+Event/));
    expect(lines).toEqual([
      'ada: NodeCreatedEvent tide table.txt',
      'ada: NodeTouchedEvent tide table.txt',
      'ada: NodeWrittenEvent tide table.txt',
      'ada: NodeDeletedEvent tide table.txt',
      'ada: NodeRenamedEvent tide table.txt (was old.txt)',
      'ada: NodeCopiedEvent tide table.txt (was old.txt)',
    ]);
  });
});

describe('a notification', () => {
  it('names the file, is listed for its user alone, and dismissed', async () => {
    await ask(ada, 'DELETE', NOTIFICATIONS);
    await publish('NodeCreatedEvent');

    const shown = await notified('Hello, tide table.txt!');
    const ofBen = await ask(ben, 'GET', NOTIFICATIONS);
    await ask(ada, 'DELETE', `${NOTIFICATIONS}/${shown.notification_id}`);

    expect(shown).toMatchObject({
      app: HELLO_APP.appId,
      subjectRich: 'Hello, {file}!',
      subjectRichParameters: { file: { type: 'file', id: '7', path: 'Sea/tide table.txt' } },
    });
    expect(ofBen).toEqual([]);
    expect(await ask(ada, 'GET', NOTIFICATIONS)).toEqual([]);
  });
});

describe('a command', () => {
  it('takes arguments and options of every kind, and prints as it goes', async () => {
    const execution = service(CommandExecutionService);
    const command = (await execution.list()).find(({ appId }) => appId === HELLO_APP.appId);
    const chunks: Buffer[] = [];
    if (command !== undefined) {
      const output = await execution.run(command, {
        arguments: { who: 'ada', others: ['ben', 'eve'] },
        options: { loud: true, times: '2', mark: ['?', '!'] },
      });
      for await (const chunk of output) chunks.push(chunk as Buffer);
    }

    const greeting = 'HELLO, ADA AND BEN AND EVE?!\n';
    expect(Buffer.concat(chunks).toString()).toBe(greeting + greeting);
    expect(chunks.length).toBeGreaterThan(1);
  });
});

describe('providers', () => {
  const STORY = 'The tide is late. Nobody knows why. The fishermen wait.';

  it('translate', async () => {
    expect(await translate('land ahead')).toEqual({ text: 'LAND AHEAD', from: 'en' });
  });

  it.each([
    ['free_prompt', `You said: ${STORY}`],
    ['headline', 'The tide is late'],
    ['summary', 'The tide is late. Nobody knows why'],
    ['topics', 'fishermen, nobody, knows'],
  ])('process text: %s', async (type, output) => {
    expect(await processed(type, STORY)).toMatchObject({ status: 3, output });
  });

  it('transcribe', async () => {
    const answer = await ada.call('POST', '/ocs/v2.php/speechtotext/schedule', {
      query: { format: 'json', filename: 'gulls.ogg' },
      body: 'kee-aah',
      headers: { 'content-type': 'audio/ogg' },
    });
    const { task } = toOcs(answer).data as { task: Task };

    expect(await finished(`/ocs/v2.php/speechtotext/task/${task.id}`)).toMatchObject({
      status: 3,
      progress: 50,
      output: '7 bytes of sound in gulls.ogg',
    });
  });
});

describe('the chat bot', () => {
  it('answers a person who says hello, signed, and waves', async () => {
    const bots = service(ChatBots);
    const [bot] = await bots.list();
    const message = (text: string, actorType = 'Person') => ({
      type: 'Create',
      actor: { type: actorType, id: 'users/ada', name: 'Ada' },
      object: {
        type: 'Note',
        id: '42',
        name: 'message',
        content: JSON.stringify({ message: text }),
      },
      target: { type: 'Collection', id: 'room1', name: 'Room' },
    });

    await bots.deliver(bot?.botId ?? '', message('good morning'));
    await bots.deliver(bot?.botId ?? '', message('Hello!', 'Application'));
    await bots.deliver(bot?.botId ?? '', message('Hello!'));
    const visits = [await host.visit(2), await host.visit(3)];

    expect(bot).toMatchObject({ appId: HELLO_APP.appId, name: 'Hello bot' });
    expect(visits.map(({ path }) => path)).toEqual([
      `${CHAT}/room1/message`,
      `${CHAT}/room1/reaction/42`,
    ]);
    expect(visits.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { message: 'Hello, Ada!', replyTo: 42 },
      { reaction: '👋' },
    ]);
    for (const [visit, text] of [
      [visits[0], 'Hello, Ada!'],
      [visits[1], '👋'],
    ] as const) {
      const random = String(visit?.headers['x-nextcloud-talk-bot-random']);
      const signature = String(visit?.headers['x-nextcloud-talk-bot-signature']);
      expect(await bots.author(text, { random, signature })).toMatchObject({ name: 'Hello bot' });
    }
  });
});

describe('a neighbour that misbehaves', () => {
  let rogue: ExternalApp;

  beforeEach(async () => {
    rogue = await startExternalApp(gateway, { appId: 'rogue' });
    await knowApp(gateway, rogue);
    const announce = async (path: string, body: object) =>
      expect(await rogue.as().ocs('POST', path, { json: body })).toMatchObject({ statuscode: 100 });
    await announce('/api/v1/ui/top-menu', { name: 'rogue', displayName: 'Rogue' });
    await announce('/api/v1/events_listener', { eventType: 'node_event', actionHandler: 'work' });
    await announce('/api/v1/ai_provider/text_processing', {
      name: 'rogue',
      displayName: 'Rogue',
      taskType: 'summary',
      actionHandler: 'work',
    });
    await announce('/api/v1/occ_command', {
      name: 'rogue:work',
      description: '',
      execute_handler: 'work',
    });
    // The oldest provider of a type is asked first: here it is the rogue.
    await gateway.database.query(
      `update ex_app_registration set id = default
        where app_id = $1 and kind = 'text_processing' and key = 'hello-summary'`,
      [HELLO_APP.appId],
    );
  });
  afterEach(async () => {
    await rogue.close();
    await gateway.database.query(`delete from ex_app where app_id = 'rogue'`);
    await gateway.database.query(`delete from job.job`);
  });

  /** Everything the example app is for still works. */
  async function helloIsWell(): Promise<void> {
    const menu = await ask<{ id: string }[]>(ada, 'GET', '/ocs/v2.php/core/navigation/apps');
    expect(menu.map(({ id }) => id)).toContain('app_api_hello-app_hello');
    const page = await ada.get(`/apps/app_api/proxy/${HELLO_APP.appId}/api/greeting`);
    expect(page.status).toBe(200);
    expect(await translate('land')).toMatchObject({ text: 'LAND' });
    expect(await processed('headline', 'One. Two.')).toMatchObject({ status: 3, output: 'One' });
    const node = { ...NODE, name: `${Math.random()}.txt` };
    await publish('NodeCreatedEvent', node);
    await notified(`Hello, ${node.name}!`);
    expect(Object.keys(await valuesIn(ada, 'hello-settings'))).toContain('greeting_word');
  }

  it('hangs: nobody waits for it', async () => {
    rogue.on('/work', () => {});
    rogue.on('/page', () => {});
    await publish('NodeWrittenEvent');
    const { task } = await ask<{ task: Task }>(ada, 'POST', '/ocs/v2.php/textprocessing/schedule', {
      type: 'summary',
      input: 'x',
    });
    const hanging = ada.get('/apps/app_api/proxy/rogue/page').catch((error: Error) => error.name);
    await rogue.received('/work', 2);
    await rogue.received('/page');

    await helloIsWell();

    const unfinished = await ask<{ task: Task }>(
      ada,
      'GET',
      `/ocs/v2.php/textprocessing/task/${task.id}`,
    );
    expect(unfinished.task.status).toBeLessThan(3);
    await rogue.close();
    await hanging;
  });

  it('answers 500 and nonsense: its own things fail, with its name on them', async () => {
    rogue.on('/work', (_request, response) => void response.writeHead(500).end('{"half": '));
    await publish('NodeWrittenEvent');

    const failed = await processed('summary', 'One. Two.');
    await helloIsWell();

    expect(failed).toMatchObject({
      status: 4,
      errorMessage: 'The provider "rogue" answered with status 500.',
    });
    const { json: log } = await gateway.asAdmin().get('/apps/app_api/apps/logs/rogue');
    expect(JSON.stringify(log)).toContain('answered with status 500');
  });

  it('lies: it reports another app’s task, and reads what is not its own', async () => {
    rogue.on('/work', json({}));
    const root = '/ocs/v2.php/textprocessing';
    const { task } = await ask<{ task: Task }>(ada, 'POST', `${root}/schedule`, {
      type: 'headline',
      input: 'The truth. More.',
    });

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
    expect(await finished(`${root}/task/${task.id}`)).toMatchObject({ output: 'The truth' });
    await helloIsWell();
  });

  it('vanishes: its page is 502, and what others can do too goes to them', async () => {
    await rogue.close();
    const admin = gateway.asAdmin();

    const page = await ada.get('/apps/app_api/proxy/rogue/page');
    await publish('NodeWrittenEvent');
    const checked = await admin.post('/apps/app_api/apps/check/rogue');
    const summary = await processed('summary', 'One. Two. Three.');
    await helloIsWell();

    expect(page.status).toBe(502);
    expect(checked.json).toMatchObject({ heartbeat: { alive: false, status: null } });
    expect(summary).toMatchObject({ status: 3, output: 'One. Two' });
  });
});
