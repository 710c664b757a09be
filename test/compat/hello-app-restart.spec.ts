import { afterAll, beforeAll, expect } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { Client } from 'pg';
import { aServiceProcess, type ServiceProcess } from '../support/a-service-process.js';
import { ApiClient } from '../support/api-client.js';
import { Chatter } from '../support/chatter.js';
import { DavClient } from '../support/dav-client.js';
import { registerHelloApp, runHelloApp, type HelloApp } from '../support/hello-app.js';
import { itLong } from '../support/long.js';
import type { TestUser } from '../support/start-app.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

/**
 * The example app and the service as processes that are stopped and started: events and messages
 * reach the app whichever of the two was down.
 */

const ADMIN = { userId: 'admin', password: 'admin of the tests' };

let database: TestDatabase;
let jobs: Client;
let dataDir: string;
let settings: Record<string, string>;
let service: ServiceProcess;
let hello: HelloApp;
let admin: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
  jobs = new Client({ connectionString: database.url });
  await jobs.connect();
  dataDir = await temporaryFolder('restart');
  settings = {
    GATEFOLD_DATA_DIR: dataDir,
    // The same after each start, since the app stores it once.
    GATEFOLD_PORT: String(await aFreePort()),
    GATEFOLD_ADMIN_PASSWORD: ADMIN.password,
  };
  service = await aServiceProcess(database.url, settings);
  admin = Object.assign(new ApiClient(service.url, ADMIN), { credentials: ADMIN });
  hello = await runHelloApp(service.url);
  await registerHelloApp(admin, hello);
  await until('the example app to be enabled', async () => {
    const { json } = await admin.get('/apps/app_api/apps/list');
    return (json as { apps: { enabled: boolean }[] }).apps.every(({ enabled }) => enabled);
  });
});
afterAll(async () => {
  await hello?.stop();
  await service?.stop();
  await jobs?.end();
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function aFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Until a delivery has failed; afterwards none is in progress that could arrive twice. */
async function triedInVain(kind: string): Promise<void> {
  await until(`a retry of ${kind}`, async () => {
    const { rowCount } = await jobs.query(
      `select 1 from job.job where name = $1 and state = 'retry'`,
      [kind],
    );
    return rowCount === 1;
  });
}

/** Makes the next retry due at once. */
const hurry = () => jobs.query(`update job.job set start_after = now() where state = 'retry'`);

async function changeEverything(folder: string): Promise<string[]> {
  const files = new DavClient(admin);
  const name = (letter: string) => `${folder}-${letter}.txt`;
  await files.put(`/${name('a')}`, 'one');
  await files.patch(
    `/${name('a')}`,
    '<d:set><d:prop><d:lastmodified>1590000000</d:lastmodified></d:prop></d:set>',
  );
  await files.move(`/${name('a')}`, `/${name('b')}`);
  await files.copy(`/${name('b')}`, `/${name('c')}`);
  await files.remove(`/${name('b')}`);
  return [
    `admin: NodeCreatedEvent ${name('a')}`,
    `admin: NodeWrittenEvent ${name('a')}`,
    `admin: NodeTouchedEvent ${name('a')}`,
    `admin: NodeRenamedEvent ${name('b')} (was ${name('a')})`,
    `admin: NodeCopiedEvent ${name('c')} (was ${name('b')})`,
    `admin: NodeDeletedEvent ${name('b')}`,
  ];
}

async function lines(count: number): Promise<string[]> {
  const heard: string[] = [];
  while (heard.length < count) {
    heard.push(await hello.line(/Node\w+Event/));
  }
  return heard;
}

itLong.each<[string, (running: ServiceProcess) => Promise<unknown>]>([
  ['stopped', (running) => running.stop()],
  ['killed', (running) => running.kill()],
])(
  'all six events arrive although the service is %s before it could deliver them',
  async (how, end) => {
    await hello.stop();
    const expected = await changeEverything(how);
    await triedInVain('event-delivery');
    await end(service);

    hello = await runHelloApp(service.url, hello);
    await hurry();
    service = await aServiceProcess(database.url, settings);

    expect(await lines(expected.length)).toEqual(expected);
  },
);

itLong(
  'a message to the bot is answered although the service is killed before its delivery',
  async () => {
    const chat = new Chatter(admin);
    const token = await chat.group('Harbour');
    const [bot] = await chat.data<{ id: number }[]>('GET', `v1/bot/${token}`);
    await chat.data('POST', `v1/bot/${token}/${bot?.id}`);
    await hello.line(/nothing to say to Join/);
    await hello.stop();
    const { id } = await chat.say(token, 'Hello!');
    await triedInVain('chat-bot-webhook');
    await service.kill();

    hello = await runHelloApp(service.url, hello);
    await hurry();
    service = await aServiceProcess(database.url, settings);

    await hello.line(/bot: Hello, admin/);
    expect(await chat.heard(token)).toEqual(['Hello!', 'Hello, admin!']);
    const greeting = (await chat.history(token)).find((message) => message.id === id);
    expect(greeting?.reactions).toEqual({ '👋': 1 });
  },
);
