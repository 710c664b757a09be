import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { AdministrationLog } from '../../src/common/ports/administration-log.js';
import { GATEFOLD_VERSION } from '../../src/common/version.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { registerAnnouncementCommands } from '../../src/platform/notifications/announcements.commands.js';
import { OverviewService } from '../../src/platform/overview/overview.service.js';
import type { Answer } from '../support/api-client.js';
import { startMailServer, type TestMailServer } from '../support/mail-server.js';
import { printedBy } from '../support/printed-by.js';
import { ADMIN, startApp, type TestApp } from '../support/start-app.js';
import { found } from '../support/until.js';

const ROOT = '/ocs/v2.php/apps/gatefold/api/v1';

interface Overview {
  readonly lastBackup: number | null;
  readonly processes: readonly { readonly version: string; readonly at: number }[];
  readonly day: readonly {
    readonly at: number;
    readonly memoryBytes: number;
    readonly processorPercent: number;
  }[];
  readonly accounts: readonly {
    readonly id: string;
    readonly requests: number;
    readonly databaseMs: number;
    readonly bytes: number;
  }[];
}

let server: TestMailServer;
let app: TestApp;
beforeAll(async () => {
  server = await startMailServer();
  app = await startApp({
    GATEFOLD_SMTP_URL: server.url,
    GATEFOLD_MAIL_FROM: 'gatefold@example.org',
  });
});
afterAll(async () => {
  await app?.stop();
  await server?.stop();
});

function dataOf<Data>({ json }: Answer): Data {
  return (json as { ocs: { data: Data } }).ocs.data;
}

async function overview(): Promise<Overview> {
  return dataOf(await app.asAdmin().get(`${ROOT}/overview?format=json`));
}

const sample = () => app.inside(OverviewService).sample();

describe('the overview', () => {
  it('shows every process of the last day by five minutes, and forgets what is older', async () => {
    const other = {
      version: '0.9',
      processorPercent: 50,
      loadPercent: 70_000,
      memoryBytes: 1000,
      diskSpareBytes: -5,
      queuedJobs: 5,
      dueFeeds: 7,
    };
    const [row] = await app.database.query<{ slot: number }>(
      `insert into process_sample
       select slot, 'elsewhere:1', $1::jsonb, '[]'
         from (values (to_timestamp(floor(extract(epoch from now()) / 300) * 300)),
                      (now() - interval '25 hours')) as slots (slot)
       returning floor(extract(epoch from now()) / 300)::int * 300 as slot`,
      [JSON.stringify(other)],
    );
    await sample();
    await sample();

    const { day, processes } = await overview();

    expect(processes.map(({ version }) => version).sort()).toEqual(['0.9', GATEFOLD_VERSION]);
    expect(day).toEqual([
      {
        at: row?.slot,
        processes: 2,
        processorPercent: expect.any(Number),
        loadPercent: 70_000,
        memoryBytes: expect.any(Number),
        diskSpareBytes: -5,
        queuedJobs: 5,
        dueFeeds: 7,
      },
    ]);
    expect(day[0]?.memoryBytes).toBeGreaterThan(20 * 1024 * 1024);
    // That of the other one, and of this one, which has worked for it.
    expect(day[0]?.processorPercent).toBeGreaterThan(50);
    expect(await app.database.query('select from process_sample')).toHaveLength(2);
  });

  it('names the accounts that used the most, by their time on the database and their bytes', async () => {
    const ada = await app.signInOnce('ada');
    const text = 'a'.repeat(40_000);
    await ada.call('PUT', '/remote.php/dav/files/ada/large.txt', { body: text });
    await sample();
    await ada.get('/remote.php/dav/files/ada/large.txt');
    const usedByAda = async () => (await overview()).accounts.find(({ id }) => id === 'ada');
    const used = await found('both requests in the samples', async () => {
      await sample();
      const use = await usedByAda();
      return use?.requests === 2 ? use : undefined;
    });

    expect(used.bytes).toBeGreaterThan(2 * text.length);
    expect(used.databaseMs).toBeGreaterThan(0);
    await app.inside(UsersService).delete('ada');
    expect(await usedByAda()).toBeUndefined();
    const rows = await app.database.query(
      `select from process_sample where accounts::text like '%"ada"%'`,
    );
    expect(rows).toEqual([]);
  });

  it('tells when the last backup was written, or that none is known', async () => {
    const before = (await overview()).lastBackup;
    await app.inside(AdministrationLog).record({ kind: 'backup_written' });

    expect(before).toBeNull();
    expect(Date.now() / 1000 - ((await overview()).lastBackup ?? 0)).toBeLessThan(60);
  });
});

describe('a test mail', () => {
  const send = () => app.asAdmin().post(`${ROOT}/test-mail?format=json`);

  it('goes to the own address of the administrator, with the answer of the server', async () => {
    const without = await send();
    await app.inside(UsersService).changeEmail(ADMIN.userId, 'admin@example.org');

    const sent = dataOf(await send());
    server.refusals.push([550, 'no such user here']);
    const refused = dataOf(await send());

    expect([without.status, without.text]).toEqual([
      400,
      expect.stringContaining('no mail address'),
    ]);
    expect(sent).toEqual({ state: 'ok', text: expect.stringContaining('250') });
    expect((await server.mailTo('admin@example.org')).text).toContain('can send mails');
    expect(refused).toMatchObject({
      state: 'error',
      text: expect.stringContaining('no such user here'),
    });
  });

  it('is limited to five an hour', async () => {
    await app.database.query(`delete from used_allowance where kind = 'test mails'`);
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      statuses.push((await send()).status);
    }

    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });
});

describe('an announcement', () => {
  const TEXT = 'The service stops at 22:00 for {half} an hour.';
  const announce = (text: string) =>
    app.asAdmin().post(`${ROOT}/announcements?format=json`, { text });
  const listed = async () =>
    dataOf<{ text: string; users: number }[]>(
      await app.asAdmin().get(`${ROOT}/announcements?format=json`),
    );
  const textsOf = async (user: { get(path: string): Promise<Answer> }) =>
    dataOf<{ message: string; subject: string }[]>(
      await user.get('/ocs/v2.php/apps/notifications/api/v2/notifications?format=json'),
    ).map(({ subject, message }) => `${subject}: ${message}`);

  it('is a notification of every user until it is withdrawn, and stands in the audit log', async () => {
    const bob = await app.signInOnce('bob');
    const carol = await app.signInOnce('carol');
    await announce('A former one.');
    const { users } = dataOf<{ users: number }>(await announce(`  ${TEXT} `));
    const before = [await textsOf(bob), await textsOf(carol)];
    await bob.call('DELETE', '/ocs/v2.php/apps/notifications/api/v2/notifications');
    const left = await listed();
    await app.asAdmin().call('DELETE', `${ROOT}/announcements`);

    expect(before).toEqual([
      [`A message from the administrators: ${TEXT}`],
      [`A message from the administrators: ${TEXT}`],
    ]);
    expect([users, left]).toEqual([3, [{ text: TEXT, users: 2, at: expect.any(Number) }]]);
    expect([await textsOf(carol), await listed()]).toEqual([[], []]);
    const events = await app.database.query<{ actor: string; details: string }>(
      `select actor_id as actor, details from security_event where kind = 'announcement' order by id`,
    );
    expect(events.slice(1)).toEqual([
      { actor: ADMIN.userId, details: `to 3 users: ${TEXT}` },
      { actor: ADMIN.userId, details: 'withdrawn' },
    ]);
  });

  it('has 1 to 500 characters', async () => {
    const refused = [await announce(' '), await announce('x'.repeat(501))];

    expect([refused.map(({ status }) => status), await listed()]).toEqual([[400, 400], []]);
  });

  it('is sent and withdrawn on the command line as well', async () => {
    const gatefold = (...args: string[]) => {
      const program = new Command().exitOverride();
      registerAnnouncementCommands(program, (work) => work((token) => app.inside(token)));
      return printedBy(program, args);
    };
    const sent = await gatefold('announcement:send', 'Back at ten.');
    const shown = await listed();
    await gatefold('announcement:withdraw');

    expect([sent, shown.map(({ text }) => text)]).toEqual([
      '3 users are notified.\n',
      ['Back at ten.'],
    ]);
    expect(await listed()).toEqual([]);
  });
});
