import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseHTML } from 'linkedom';
import { runInNewContext } from 'node:vm';
import { CommandExecutionService } from '../../src/app-api/commands/command-execution.service.js';
import {
  EVENT_DELIVERIES,
  EventDeliveryService,
} from '../../src/app-api/events/event-delivery.service.js';
import { JobQueue } from '../../src/database/jobs/job-queue.js';
import { PageBuild } from '../../src/platform/pages/page-build.service.js';
import { Browser } from '../support/browser.js';
import { Chatter, messagesOf, type ChatMessage } from '../support/chatter.js';
import { DavClient } from '../support/dav-client.js';
import {
  json,
  knowApp,
  startExternalApp,
  toOcs,
  type ExternalApp,
} from '../support/external-app.js';
import { rss, startFeedServer, type FeedServer } from '../support/feed-server.js';
import { HELLO_APP, runHelloApp, startHelloApp, type HelloApp } from '../support/hello-app.js';
import { itLong } from '../support/long.js';
import { NewsClient, type ItemJson } from '../support/news-client.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { found, until } from '../support/until.js';

/**
 * Every capability of the example app, used by users and administrators over HTTP in all rooms.
 * Only commands run below the command line, which .ci/checks/hello-app.sh covers.
 */

const FORMS = '/ocs/v2.php/settings/api/declarative';
const NOTIFICATIONS = '/ocs/v2.php/apps/notifications/api/v2/notifications';
const FILE_ACTIONS = '/ocs/v2.php/apps/app_api/api/v1/files-actions';
const MENU = '/ocs/v2.php/core/navigation/apps';

let gateway: TestApp;
let hello: HelloApp;
let ada: TestUser;
let ben: TestUser;
let files: DavClient;

beforeAll(async () => {
  gateway = await startApp();
  // The host's script, which is built separately from the service.
  gateway.inside(PageBuild).filesOf = async () => ({
    script: 'assets/host.js',
    preloads: [],
    styles: [],
  });
  ada = await gateway.signInOnce('ada');
  ben = await gateway.signInOnce('ben');
  files = new DavClient(ada);
  hello = await startHelloApp(gateway);
});
afterAll(async () => {
  await hello?.stop();
  await gateway?.stop();
});

/** The `data` of a successful response. */
async function ask<Data>(user: TestUser, method: string, path: string, body?: object) {
  const options = body === undefined ? {} : { json: body };
  const answer = toOcs(await user.call(method, path, { query: { format: 'json' }, ...options }));
  expect(answer).toMatchObject({ statuscode: 200 });
  return answer.data as Data;
}

const wake = () => gateway.inside(JobQueue).wake(EVENT_DELIVERIES, 2);

interface Form {
  readonly id: string;
  readonly app: string;
  readonly fields: readonly {
    readonly id: string;
    readonly type: string;
    readonly value: unknown;
  }[];
}

describe('settings', () => {
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
  /** As forms show them. */
  const SHOWN = {
    ...ENTERED,
    password: 'dummySecret',
    cups: '3',
    awake: '0',
    colours: '{"red":false,"green":true}',
    toppings: '["nuts","cream"]',
  };
  /** As the app receives them. */
  const KEPT = { ...SHOWN, password: 'very secret' };

  async function valuesIn(user: TestUser, formId: string): Promise<Record<string, unknown>> {
    const forms = await ask<Form[]>(user, 'GET', `${FORMS}/forms`);
    const fields = forms.find(({ id }) => id === formId)?.fields ?? [];
    return Object.fromEntries(fields.map(({ id, value }) => [id, value]));
  }

  const save = (user: TestUser, formId: string, fieldId: string, value: unknown) =>
    ask(user, 'POST', `${FORMS}/value`, { app: HELLO_APP.appId, formId, fieldId, value });

  /** As the app reads them with its credentials. */
  async function readByApp(kind: 'preference' | 'config', userId: string) {
    const answer = await gateway
      .asStranger()
      .call('POST', `/ocs/v1.php/apps/app_api/api/v1/ex-app/${kind}/get-values`, {
        query: { format: 'json' },
        headers: {
          'ex-app-id': HELLO_APP.appId,
          'ex-app-version': '1.0.0',
          'authorization-app-api': btoa(`${userId}:${HELLO_APP.secret}`),
        },
        json: { configKeys: Object.keys(ENTERED) },
      });
    const kept = toOcs(answer).data as { configkey: string; configvalue: unknown }[];
    return Object.fromEntries(kept.map(({ configkey, configvalue }) => [configkey, configvalue]));
  }

  it('of a user: every type of field is saved, read back by user and app, and private to the user', async () => {
    for (const [field, value] of Object.entries(ENTERED)) {
      await save(ada, 'hello-settings', field, value);
    }

    expect(await valuesIn(ada, 'hello-settings')).toEqual({ greeting_word: 'Hello', ...SHOWN });
    expect(await readByApp('preference', 'ada')).toEqual(KEPT);
    expect(await valuesIn(ben, 'hello-settings')).toMatchObject({ name: '', cups: '2' });
    expect(await readByApp('preference', 'ben')).toEqual({});
  });

  it('of the administrator: shared by all, and not shown to users', async () => {
    const admin = gateway.asAdmin();
    for (const [field, value] of Object.entries(ENTERED)) {
      await save(admin, 'hello-administration', field, value);
    }

    expect(await valuesIn(admin, 'hello-administration')).toEqual(SHOWN);
    expect(await readByApp('config', '')).toEqual(KEPT);
    expect(await valuesIn(ada, 'hello-administration')).toEqual({});
  });

  it('change how the app greets', async () => {
    await save(ada, 'hello-settings', 'greeting_word', 'Ahoy');

    const { json: answer } = await ada.get(`/apps/app_api/proxy/${HELLO_APP.appId}/api/greeting`);

    expect(answer).toEqual({ text: 'Ahoy, ada!' });
  });
});

describe('a file action', () => {
  let fileId: number;
  let redirect: string;

  beforeAll(async () => {
    await files.folder('/Sea');
    await files.put('/Sea/tide table.txt', 'the tide is late again');
    fileId = Number(await files.property('/Sea/tide table.txt', 'oc:fileid'));
  });

  it('is offered for the files of a user, and not for folders or files of others', async () => {
    const folderId = Number(await files.property('/Sea', 'oc:fileid'));
    const offered = (user: TestUser, id: number) =>
      user.get(`${FILE_ACTIONS}?format=json&fileIds=${id}`).then(toOcs);

    expect((await offered(ada, fileId)).data).toEqual([
      {
        appId: HELLO_APP.appId,
        name: 'describe',
        displayName: 'Say hello to this file',
        icon: 'img/hello.svg',
      },
    ]);
    expect((await offered(ada, folderId)).data).toEqual([]);
    expect(await offered(ben, fileId)).toMatchObject({ statuscode: 404 });
  });

  it('reads the file on behalf of its user, and redirects the user to the page of the app', async () => {
    const path = `${FILE_ACTIONS}/${HELLO_APP.appId}/describe`;

    const outcome = await ask<{ redirect: string }>(ada, 'POST', path, { fileIds: [fileId] });

    expect(await hello.line(/hello to/)).toBe('hello to tide table.txt (22 bytes, 5 words)');
    expect(outcome.redirect).toMatch(
      new RegExp(`/apps/app_api/embedded/hello-app/hello/files\\?fileIds=${fileId}$`),
    );
    ({ redirect } = outcome);
  });

  it('opens a page with state, scripts and styles of the app, which runs in it', async () => {
    const browser = new Browser(gateway.url);
    await browser.login(ada.credentials);

    const page = await browser.get(redirect);
    const { document } = parseHTML(page.text);
    const script = document.querySelector('script[defer]')?.getAttribute('src') ?? '';
    const style = document.querySelector('link[rel=stylesheet]')?.getAttribute('href') ?? '';
    const code = await browser.get(script);
    runInNewContext(code.text, {
      document,
      location: { search: new URL(redirect, gateway.url).search },
      fetch: async (path: string) => {
        const { text } = await browser.get(path);
        return new Response(text);
      },
      atob,
      TextDecoder,
      URLSearchParams,
    });
    const shownTexts = await found('the texts of the page', () => {
      const shown = [...document.querySelectorAll('#content main > *')];
      return document.querySelector('.hello') === null ? null : shown;
    });

    expect(shownTexts.map(({ textContent }) => textContent)).toEqual([
      'Hello!',
      `Hello to the files ${fileId}!`,
      'Ahoy, ada!',
    ]);
    const { headers } = await browser.get(style);
    expect(headers['content-type']).toContain('text/css');
    const icon = await browser.get(`/apps/app_api/proxy/${HELLO_APP.appId}/img/hello.svg`);
    expect(icon.headers['content-type']).toContain('svg');
  });

  it('opens a page that requires credentials', async () => {
    const { status, headers } = await new Browser(gateway.url).get(redirect);

    expect(status).toBe(302);
    expect(headers.location).toContain('/login?redirect_url=');
  });
});

describe('changes of files', () => {
  let witness: ExternalApp;

  beforeAll(async () => {
    witness = await startExternalApp(gateway, { appId: 'witness' });
    await knowApp(gateway, witness);
    witness.on('/seen', json({}));
    await witness.as().ocs('POST', '/api/v1/events_listener', {
      json: { eventType: 'node_event', actionHandler: 'seen' },
    });
  });
  afterAll(async () => {
    await witness.close();
    await gateway.database.query(`delete from ex_app where app_id = 'witness'`);
  });

  /** All kinds of changes to a file, over WebDAV. */
  async function changeEverything(folder: string): Promise<void> {
    await files.folder(folder);
    await files.put(`${folder}/a.txt`, 'one');
    await files.patch(
      `${folder}/a.txt`,
      '<d:set><d:prop><d:lastmodified>1590000000</d:lastmodified></d:prop></d:set>',
    );
    await files.put(`${folder}/a.txt`, 'other');
    await files.move(`${folder}/a.txt`, `${folder}/b.txt`);
    await files.copy(`${folder}/b.txt`, `${folder}/c.txt`);
    await files.remove(`${folder}/b.txt`);
  }
  const linesAbout = (folder: string) => [
    `ada: NodeCreatedEvent ${folder.slice(1)}`,
    'ada: NodeCreatedEvent a.txt',
    'ada: NodeWrittenEvent a.txt',
    'ada: NodeTouchedEvent a.txt',
    'ada: NodeWrittenEvent a.txt',
    'ada: NodeRenamedEvent b.txt (was a.txt)',
    'ada: NodeCopiedEvent c.txt (was b.txt)',
    'ada: NodeDeletedEvent b.txt',
  ];
  async function lines(count: number): Promise<string[]> {
    const heard: string[] = [];
    while (heard.length < count) {
      heard.push(await hello.line(/Node\w+Event/));
    }
    return heard;
  }

  it('arrive as all six events, in order, with the metadata of the file', async () => {
    // When this has arrived, the events of earlier specs are done.
    await files.put('/marker.txt', 'x');
    wake();
    await hello.line(/NodeWrittenEvent marker/);
    await until('the marker at the second app', () =>
      witness
        .requests('/seen')
        .some(({ body }) => /marker/.test(String(body)) && /NodeWritten/.test(String(body))),
    );
    const before = witness.requests('/seen').length;

    await changeEverything('/harbour');
    wake();

    expect(await lines(8)).toEqual(linesAbout('/harbour'));
    await witness.received('/seen', before + 8);
    const [, created, written, touched, , renamed, copied, deleted] = witness
      .requests('/seen')
      .slice(before)
      .map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);
    const known = await files.known('/harbour/c.txt', ['oc:fileid', 'oc:id', 'd:getetag']);
    const node = {
      fileId: expect.any(Number),
      name: 'a.txt',
      directory: '/harbour',
      etag: expect.stringMatching(/^\w+$/),
      mime: 'text/plain',
      fileType: 'file',
      mtime: expect.any(Number),
      size: 3,
      favorite: 'false',
      permissions: 27,
      userId: 'ada',
      instanceId: String(known['id']).slice(-12),
      shareOwner: null,
      shareOwnerId: null,
      shareTypes: null,
      shareAttributes: null,
      sharePermissions: null,
    };
    const event = (subtype: string, target: object, source?: object) => ({
      event_type: 'node_event',
      event_subtype: subtype,
      event_data: { target, ...(source && { source }) },
    });
    const b = { ...node, name: 'b.txt', size: 5 };
    const c = { ...b, name: 'c.txt', fileId: Number(known['fileid']) };
    expect(created).toEqual(event('NodeCreatedEvent', node));
    expect(written).toEqual(event('NodeWrittenEvent', node));
    expect(touched).toEqual(event('NodeTouchedEvent', { ...node, mtime: 1_590_000_000 }));
    expect(renamed).toEqual(event('NodeRenamedEvent', b, { ...node, size: 5 }));
    expect(copied).toEqual(
      event('NodeCopiedEvent', { ...c, etag: String(known['getetag']).slice(1, -1) }, b),
    );
    expect(deleted).toEqual(event('NodeDeletedEvent', b));
  });

  itLong('that happen while the app is down arrive in order when it is back', async () => {
    await hello.stop();

    await changeEverything('/island');
    wake();
    const retry = `update job.job set start_after = now()
       where name = 'event-delivery' and state = 'retry' returning 1`;
    await until('a retry', async () => (await gateway.database.query(retry)).length > 0);
    hello = await runHelloApp(gateway.url, hello);
    const heard = lines(8);
    // The retry may have happened meanwhile, with a later one due.
    const nextTry = () => gateway.database.query(retry).then(wake);

    expect(await found('eight lines', () => Promise.race([heard, nextTry()]))).toEqual(
      linesAbout('/island'),
    );
    expect(await gateway.inside(EventDeliveryService).deadLetters()).toEqual([]);
  });
});

describe('a notification', () => {
  interface Notification {
    readonly notification_id: number;
    readonly subject: string;
  }

  it('names the file, is listed for its user only, and dismissed', async () => {
    await ask(ada, 'DELETE', NOTIFICATIONS);
    await files.put('/Sea/pearl.txt', 'round');
    wake();

    const shown = await found('the notification', async () => {
      const list = await ask<Notification[]>(ada, 'GET', NOTIFICATIONS);
      return list.find(({ subject }) => subject === 'Hello, pearl.txt!');
    });
    const ofBen = await ask(ben, 'GET', NOTIFICATIONS);
    await ask(ada, 'DELETE', `${NOTIFICATIONS}/${shown.notification_id}`);

    const fileId = String(await files.property('/Sea/pearl.txt', 'oc:fileid'));
    expect(shown).toMatchObject({
      app: HELLO_APP.appId,
      user: 'ada',
      subjectRich: 'Hello, {file}!',
      subjectRichParameters: {
        file: { type: 'file', id: fileId, name: 'pearl.txt', path: 'Sea/pearl.txt' },
      },
    });
    expect(ofBen).toEqual([]);
    expect(await ask(ada, 'GET', NOTIFICATIONS)).toEqual([]);
  });
});

describe('a command', () => {
  it('accepts arguments and options of every kind, and prints while it runs', async () => {
    const execution = gateway.inside(CommandExecutionService);
    const command = (await execution.list()).find(({ appId }) => appId === HELLO_APP.appId);
    const chunks: Buffer[] = [];
    if (command !== undefined) {
      const output = await execution.run(command, {
        arguments: { who: 'ada', others: ['ben', 'eve'] },
        options: { loud: true, times: '2', mark: ['?', '!'] },
      });
      for await (const chunk of output) {
        chunks.push(chunk as Buffer);
      }
    }

    const greeting = 'HELLO, ADA AND BEN AND EVE?!\n';
    expect(Buffer.concat(chunks).toString()).toBe(greeting + greeting);
    expect(chunks.length).toBeGreaterThan(1);
  });
});

const STORY = 'The tide is late. Nobody knows why. The fishermen wait.';

describe('providers', () => {
  interface Task {
    readonly id: number;
    readonly status: number;
    readonly output: string | null;
  }

  /** The task, as soon as it has ended. */
  const finished = (path: string) =>
    found('the end of the task', async () => {
      const { task } = await ask<{ task: Task }>(ada, 'GET', path);
      return task.status > 2 ? task : null;
    });

  it('translate', async () => {
    const wish = { text: 'land ahead', toLanguage: 'shout' };

    expect(await ask(ada, 'POST', '/ocs/v2.php/translation/translate', wish)).toEqual({
      text: 'LAND AHEAD',
      from: 'en',
    });
  });

  it.each([
    ['free_prompt', `You said: ${STORY}`],
    ['headline', 'The tide is late'],
    ['summary', 'The tide is late. Nobody knows why'],
    ['topics', 'fishermen, nobody, knows'],
  ])('process text: %s', async (type, output) => {
    const root = '/ocs/v2.php/textprocessing';
    const wish = { type, input: STORY };
    const { task } = await ask<{ task: Task }>(ada, 'POST', `${root}/schedule`, wish);

    expect(await finished(`${root}/task/${task.id}`)).toMatchObject({ status: 3, output });
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

describe('in the feed reader', () => {
  let publisher: FeedServer;
  let news: NewsClient;
  let item: ItemJson;

  beforeAll(async () => {
    publisher = await startFeedServer();
    publisher.publish('/gulls.ogg', 'kee-aah', { contentType: 'audio/ogg' });
    const enclosure = { url: publisher.url('/gulls.ogg'), type: 'audio/ogg', length: 7 };
    const items = [{ title: 'Tides', body: `<p>${STORY}</p>`, enclosure }];
    publisher.publish('/feed', rss({ title: 'The sea', items }));
    news = new NewsClient(ada, 'v1-3');
    await news.subscribe(publisher.url('/feed'));
    item = await news.item('Tides');
  });
  afterAll(() => publisher.close());

  async function made(what: string, wish: object = {}): Promise<object> {
    const asked = (await news.post(`/items/${item.id}/${what}`, wish)).json as { id: number };
    return found(`a ${what}`, async () => {
      const { json: state } = await news.get(`/items/${item.id}/assistance/${asked.id}`);
      return (state as { state: string }).state === 'running' ? undefined : (state as object);
    });
  }

  it('an item is translated', async () => {
    expect(await made('translate', { to: 'shout' })).toMatchObject({
      state: 'done',
      title: 'TIDES',
      body: `<p>${STORY.toUpperCase()}</p>`,
      from: 'en',
    });
  });

  it.each([
    ['summary', 'Tides\n\nThe tide is late. Nobody knows why'],
    ['headline', 'Tides\n\nThe tide is late'],
    ['topics', 'fishermen, nobody, tides'],
  ])('a %s of it is written', async (kind, text) => {
    expect(await made(kind)).toMatchObject({ state: 'done', kind, text });
  });

  it('its recording is transcribed', async () => {
    expect(await made('transcript')).toMatchObject({
      state: 'done',
      text: expect.stringMatching(/^7 bytes of sound in /),
    });
  });
});

describe('the chat bot', () => {
  let people: { readonly ada: Chatter; readonly ben: Chatter };
  let token: string;
  let botId: number;

  beforeAll(async () => {
    people = { ada: new Chatter(ada), ben: new Chatter(ben) };
    token = await people.ada.group('Harbour', 'ben');
  });

  /** Reads a conversation until a message matches. */
  async function heard(since: number, isWanted: (message: ChatMessage) => boolean) {
    let last = since;
    return found(`a message with ${isWanted}`, async () => {
      const messages = messagesOf(await people.ben.poll(token, last));
      last = messages.at(-1)?.id ?? last;
      return messages.find(isWanted);
    });
  }

  it('is added to a conversation by a moderator, and by nobody else', async () => {
    const choices = await people.ada.data<{ id: number }[]>('GET', `v1/bot/${token}`);
    expect(choices).toEqual([
      {
        id: expect.any(Number),
        name: 'Hello bot',
        description: 'Says hello to whoever says hello',
        state: 0,
      },
    ]);
    botId = choices[0]?.id ?? 0;

    expect((await people.ben.call('POST', `v1/bot/${token}/${botId}`)).httpStatus).toBe(403);
    expect((await people.ada.call('POST', `v1/bot/${token}/${botId}`)).httpStatus).toBe(201);
  });

  it('replies to a greeting, and reacts', async () => {
    const silent = await people.ben.say(token, 'good morning');
    const greeting = await people.ben.say(token, 'Hello!');

    const answer = await heard(silent.id, ({ actorType }) => actorType === 'bots');
    await heard(answer.id, ({ systemMessage }) => systemMessage === 'reaction');

    expect(answer).toMatchObject({
      actorDisplayName: 'Hello bot',
      message: 'Hello, ben!',
      parent: { id: greeting.id },
    });
    expect(await people.ada.heard(token)).toEqual(['good morning', 'Hello!', 'Hello, ben!']);
    const waved = (await people.ada.history(token)).find(({ id }) => id === greeting.id);
    expect(waved?.reactions).toEqual({ '👋': 1 });
  });

  it('receives nothing after it was removed', async () => {
    await people.ada.data('DELETE', `v1/bot/${token}/${botId}`);

    await people.ben.say(token, 'Hello?');

    expect(await hello.line(/Leave|Hello, ben/)).toBe('bot: Hello, ben!');
    expect(await hello.line(/Leave|Hello, ben/)).toBe('bot: nothing to say to Leave');
    await until('the end of the deliveries', async () => {
      const waiting = await gateway.database.query(
        `select 1 from job.job where name = 'chat-bot-webhook' and state < 'completed'`,
      );
      return waiting.length === 0;
    });
    expect(await people.ada.heard(token)).toEqual([
      'good morning',
      'Hello!',
      'Hello, ben!',
      'Hello?',
    ]);
  });
});

describe('after unregistering', () => {
  beforeAll(async () => {
    const admin = gateway.asAdmin();
    await admin.post(`/apps/app_api/apps/uninstall/${HELLO_APP.appId}`);
  });

  it('is gone from all lists', async () => {
    const admin = gateway.asAdmin();
    const fileId = String(await files.property('/Sea/pearl.txt', 'oc:fileid'));

    expect(JSON.stringify(await ask(ada, 'GET', MENU))).not.toContain(HELLO_APP.appId);
    expect(await ask(admin, 'GET', `${FORMS}/forms`)).toEqual([]);
    const offered = await ada.get(`${FILE_ACTIONS}?format=json&fileIds=${fileId}`);
    expect(toOcs(offered).data).toEqual([]);
    expect(await ask(ada, 'GET', NOTIFICATIONS)).toEqual([]);
    expect(await ask(admin, 'GET', '/ocs/v2.php/apps/spreed/api/v1/bot/admin')).toEqual([]);
    expect((await new NewsClient(ada, 'v1-3').get('/assistance')).json).toEqual({
      translate: { languages: [], detects: false },
      textTasks: [],
      transcribe: false,
    });
    const page = await ada.get(`/apps/app_api/proxy/${HELLO_APP.appId}/api/greeting`);
    expect(page.status).toBe(404);
    const execution = gateway.inside(CommandExecutionService);
    expect(await execution.list()).toEqual([]);
  });

  it('leaves no data behind', async () => {
    const tables = await gateway.database.query<{ name: string }>(
      `select table_name as name from information_schema.columns
        where column_name = 'app_id' and table_schema = 'public'`,
    );
    const left = await Promise.all(
      tables.map(async ({ name }) => {
        const rows = await gateway.database.query(`select 1 from ${name} where app_id = $1`, [
          HELLO_APP.appId,
        ]);
        return [name, rows.length];
      }),
    );

    expect(left).toContainEqual(['ex_app_value', 0]);
    expect(left.filter(([, rows]) => rows !== 0)).toEqual([]);
    const jobs = await gateway.database.query(
      `select 1 from job.job where starts_with(singleton_key, $1) and state < 'completed'`,
      [`${HELLO_APP.appId}/`],
    );
    expect(jobs).toEqual([]);
  });
});
