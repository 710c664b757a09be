import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { aServiceProcess, type ServiceProcess } from '../support/a-service-process.js';
import { ApiClient, type Answer } from '../support/api-client.js';
import { catchTimers, type Timers } from '../support/caught-timers.js';
import { aDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.js';
import { describeLong, itLong } from '../support/long.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { createTestDatabase, queryServer, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const FOLDERS = '/index.php/apps/news/api/v1-3/folders';
const ADMIN = { userId: 'admin', password: 'a good password' };

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly err?: unknown;
}

const ERROR = 50;

describeLong('a service whose database becomes unavailable', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let service: ServiceProcess;
  let client: ApiClient;
  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await aDatabaseProxy(database.url);
    service = await aServiceProcess(proxy.url, {
      GATEFOLD_LOG_FORMAT: 'json',
      GATEFOLD_ADMIN_PASSWORD: ADMIN.password,
      GATEFOLD_SHUTDOWN_SECONDS: '1',
    });
    client = new ApiClient(service.url, ADMIN);
  });
  afterAll(async () => {
    await service.kill();
    await proxy.close();
    await database.drop();
  });

  /** @throws Error for a log line that is not JSON */
  const log = () =>
    service
      .log()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as LogLine);

  it('answers 503 with Retry-After, and logs the cause once and without a stack trace', async () => {
    expect((await client.get(FOLDERS)).status).toBe(200);
    proxy.refuse();

    const answers: Answer[] = [];
    for (let n = 0; n < 10; n++) {
      answers.push(await client.get(FOLDERS));
    }

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expect(answers[0]?.json).toEqual({
      message: 'There is no connection to the database at the moment; try again in a few seconds.',
    });
    expect(Number(answers[0]?.headers['retry-after'])).toBeGreaterThan(0);
    const errors = log().filter(({ level }) => level >= ERROR);
    expect(errors.map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/^The database cannot be reached: /),
    ]);
    expect(service.log()).not.toContain('stack');
  });

  it('serves again when the database is back, and logs it', async () => {
    proxy.accept();

    await until('folders', async () => (await client.get(FOLDERS)).status === 200);

    expect(log().map(({ msg }) => msg)).toContain('The database is available again.');
  });

  itLong('is not ready while the database accepts connections without responding', async () => {
    proxy.freeze();

    expect((await client.get('/health/ready')).status).toBe(503);
  });

  it('stops within the timeout even then, and logs unfinished work', async () => {
    proxy.accept();
    await until('folders', async () => (await client.get(FOLDERS)).status === 200);
    proxy.freeze();
    // Blocks on the database.
    client.get(FOLDERS).catch(() => {});

    expect(await service.stop()).toBe(1);

    expect(log().at(-1)?.msg).toMatch(
      /^Not stopped 1 s after SIGTERM\. Ending now, with this unfinished: .*connections of the pool/,
    );
  });
});

describe('a start that fails', () => {
  itLong('is a line of JSON like all others where the log is JSON', async () => {
    const refused = await aServiceProcess('postgresql://ada@127.0.0.1:1/none', {
      GATEFOLD_LOG_FORMAT: 'json',
    }).catch((error: Error) => error.message);

    const lines = String(refused).trimEnd().split('\n').slice(1);
    expect(lines.map((line) => (JSON.parse(line) as LogLine).msg)).toEqual([
      expect.stringMatching(/^The database cannot be used: connect ECONNREFUSED/),
    ]);
  });
});

describe('a service', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let app: TestApp;
  let user: TestUser;
  let timers: Timers;
  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await aDatabaseProxy(database.url);
    const settings = {
      DATABASE_URL: proxy.url,
      GATEFOLD_SCHEDULER: 'on',
      GATEFOLD_DATABASE_CONNECTIONS: '4',
      GATEFOLD_DATABASE_WAIT_SECONDS: '1',
    };
    app = await startApp(settings, (nest) => {
      timers = catchTimers(nest);
    });
    jest.restoreAllMocks();
    user = await app.signIn();
  });
  afterAll(async () => {
    await app.stop();
    await proxy.close();
    await database.drop();
  });

  it('responds 503 while all connections are busy, and works when one is free', async () => {
    const release = Promise.withResolvers<void>();
    const held = [1, 2, 3, 4].map(() =>
      app.database.transaction(async (tx) => {
        await tx.query('select 1');
        await release.promise;
      }),
    );

    const answer = await user.get(FOLDERS);
    release.resolve();
    await Promise.all(held);

    expect(answer.status).toBe(503);
    expect(answer.json).toEqual({
      message:
        'All connections to the database are busy at the moment; try again in a few seconds.',
    });
    expect((await user.get(FOLDERS)).status).toBe(200);
  });

  it('logs nothing in regular work while the database is away, since the cause has been logged', async () => {
    const errors: unknown[] = [];
    app.app.useLogger({
      log: () => {},
      warn: () => {},
      error: (message: unknown) => errors.push(message),
    });
    proxy.refuse();
    try {
      for (const fire of timers.values()) {
        await fire();
      }

      expect([...timers.keys()]).toEqual(expect.arrayContaining(['feeds', 'files-trash']));
      expect(errors).toEqual([expect.stringMatching(/^The database cannot be reached/)]);
    } finally {
      proxy.accept();
    }
  });

  it('is not ready on a standby, which is read-only, still reads, and responds to changes with 503', async () => {
    await until('the database', async () => (await user.get(FOLDERS)).status === 200);
    const name = new URL(database.url).pathname.slice(1);
    await queryServer(`alter database "${name}" set default_transaction_read_only = on`);
    proxy.cut();

    expect((await app.asStranger().get('/health/ready')).status).toBe(503);
    expect((await user.get(FOLDERS)).status).toBe(200);

    const answer = await user.post(FOLDERS, { name: 'News' });

    expect(answer.status).toBe(503);
    expect(answer.json).toEqual({
      message: 'The database takes no changes at the moment; try again in a few seconds.',
    });
  });
});
