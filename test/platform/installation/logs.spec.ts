import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { aServiceProcess, type ServiceProcess } from '../../support/a-service-process.js';
import { ApiClient } from '../../support/api-client.js';
import { describeLong, itLong } from '../../support/long.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { found } from '../../support/until.js';

const ADMIN = { userId: 'admin', password: 'a good password' };
const FOLDERS = '/index.php/apps/news/api/v1-3/folders';
const CAPABILITIES = '/ocs/v2.php/cloud/users?format=json';

const LEVEL = { info: 30, warn: 40, error: 50, fatal: 60 };

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly context?: string;
  readonly req?: { readonly id: string; readonly path: string };
  readonly err?: {
    readonly fault: string;
    readonly stack?: string;
    readonly repeated: number;
    readonly message: string;
  };
}

describeLong('Logs in JSON', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let admin: ApiClient;
  beforeAll(async () => {
    database = await createTestDatabase();
    service = await aServiceProcess(
      database.url,
      { GATEFOLD_LOG_FORMAT: 'json', GATEFOLD_ADMIN_PASSWORD: ADMIN.password },
      ['process-events.mjs'],
    );
    admin = new ApiClient(service.url, ADMIN);
  });
  afterAll(async () => {
    await service.kill();
    await database.drop();
  });

  /** @throws SyntaxError for a line that is not JSON */
  const lines = (): Line[] =>
    service
      .log()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);

  const logged = (isIt: (line: Line) => boolean): Promise<Line> =>
    found(`a line of the log with ${isIt}`, () => lines().find(isIt));

  async function change(sql: string): Promise<void> {
    const client = new Client(database.url);
    await client.connect();
    await client.query(sql);
    await client.end();
  }

  it('begin with the first line', () => {
    expect(lines().map(({ msg }) => msg)).toContainEqual(
      expect.stringMatching(/^Gatefold listens at http/),
    );
  });

  it('have one line for each request that failed, and the stack once for each cause', async () => {
    expect((await admin.post(FOLDERS, { name: 'Tech' })).status).toBe(200);
    await change('alter table folder rename to hidden');
    const folders = [await admin.get(FOLDERS), await admin.get(`${FOLDERS}?not=${'logged'}`)];
    await change('alter table hidden rename to folder');

    expect(folders.map(({ status }) => status)).toEqual([500, 500]);
    await logged(({ err }) => err?.repeated === 1);
    const errors = lines().filter(({ level }) => level >= LEVEL.warn);
    expect(errors).toEqual([
      expect.objectContaining({
        level: LEVEL.error,
        msg: `GET ${FOLDERS} 500: relation "folder" does not exist`,
        req: expect.objectContaining({ id: folders[0]?.headers['x-request-id'] }),
        err: {
          type: 'error',
          message: 'relation "folder" does not exist',
          fault: expect.stringMatching(/^[0-9a-f]{12}$/),
          stack: expect.stringContaining('folders.controller'),
          repeated: 0,
        },
      }),
      expect.objectContaining({
        level: LEVEL.error,
        req: expect.objectContaining({ id: folders[1]?.headers['x-request-id'] }),
        err: {
          type: 'error',
          message: 'relation "folder" does not exist',
          fault: errors[0]?.err?.fault,
          repeated: 1,
        },
      }),
    ]);
    expect(service.log()).not.toContain('?not=');
    expect(service.log()).not.toContain(ADMIN.password);
  });

  it('do not have the token in a path', async () => {
    const token = 'S-'.repeat(16);
    await change('alter table feed_out rename to hidden');
    const { status } = await admin.get(`/apps/news/out/${token}`);
    await change('alter table hidden rename to feed_out');

    expect(status).toBe(500);
    await logged(({ msg }) => msg.startsWith('GET /apps/news/out/… 500'));
    expect(JSON.stringify(lines())).not.toContain(token);
  });

  it('have the line of a failed OCS request, too, whose status is 200 below /ocs/v1.php', async () => {
    const path = '/ocs/v1.php/apps/notifications/api/v2/notifications';
    await change('alter table notification rename to hidden');
    const answer = await admin.get(`${path}?format=json`);
    await change('alter table hidden rename to notification');

    expect(answer.status).toBe(200);
    await logged(({ msg }) => msg.startsWith(`GET ${path} 200: `));
  });

  it('have a line for an error that the envelope of OCS hides', async () => {
    await change('alter table account rename to hidden');
    const { status } = await admin.get(CAPABILITIES);
    await change('alter table hidden rename to account');

    expect(status).toBe(500);
    const line = await logged(({ msg }) => msg.includes('relation "account"'));
    expect(line).toEqual(expect.objectContaining({ level: LEVEL.error }));
    expect(lines().filter(({ msg }) => msg.includes('relation "account"'))).toHaveLength(1);
  });

  it('have warnings of Node.js, and the error that ended the process', async () => {
    service.signal('SIGUSR2');
    await logged(({ context }) => context === 'Process');
    service.signal('SIGUSR2');

    expect(await service.ended()).toBe(1);
    expect(lines().filter(({ context }) => context === 'Process')).toEqual([
      expect.objectContaining({
        level: LEVEL.warn,
        warning: 'DeprecationWarning',
        msg: 'An option is deprecated.',
      }),
      expect.objectContaining({
        level: LEVEL.fatal,
        msg: 'Ended by: Nobody catches this.',
        err: expect.objectContaining({ type: 'RangeError', stack: expect.any(String) }),
      }),
    ]);
  });
});

describe('A start that fails, with logs in JSON', () => {
  const FAULTS: [string, Record<string, string>, RegExp][] = [
    ['a setting is wrong', { GATEFOLD_PORT: 'eighty' }, /GATEFOLD_PORT/],
    [
      'a secret cannot be read',
      { GATEFOLD_SECRET_KEY: '', GATEFOLD_SECRET_KEY_FILE: '/none' },
      /none/,
    ],
  ];
  itLong.each(FAULTS)('is JSON when %s', async (_what, settings, sentence) => {
    const refused = await aServiceProcess('postgresql://127.0.0.1:1/none', {
      GATEFOLD_LOG_FORMAT: 'json',
      ...settings,
    }).catch((error: Error) => error.message);

    const [line, ...more] = String(refused).trimEnd().split('\n').slice(1);
    expect(more).toEqual([]);
    expect(JSON.parse(line ?? '')).toEqual(
      expect.objectContaining({
        level: LEVEL.fatal,
        context: 'Start',
        msg: expect.stringMatching(sentence),
      }),
    );
  });
});
