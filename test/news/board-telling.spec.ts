import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Clock } from '../../src/common/clock.js';
import { RestoreHooks } from '../../src/common/ports/hooks.js';
import { InstallationChecks } from '../../src/common/ports/installation-checks.js';
import { textIn } from '../../src/common/texts/translations.js';
import { JOB_SCHEMA } from '../../src/database/job-schema.js';
import { JobQueue } from '../../src/database/jobs/job-queue.js';
import { BoardDigests } from '../../src/news/boards/board-digests.task.js';
import { BoardTelling } from '../../src/news/boards/board-telling.task.js';
import { BoardWebhooksRepository } from '../../src/news/boards/board-webhooks.repository.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { rss } from '../support/feed-server.js';
import { Groups } from '../support/group-folders.js';
import { startMailServer } from '../support/mail-server.js';
import { NewsClient, ok } from '../support/news-client.js';
import { startNoticeReceiver } from '../support/notice-receiver.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';
import { until } from '../support/until.js';

/*
 * How a board tells what is added to it: webhooks, each entry once, and a digest by mail.
 */

const mails = await startMailServer();
const server = await startNoticeReceiver();
const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_SMTP_URL: mails.url,
  GATEFOLD_MAIL_FROM: 'Gatefold <gatefold@example.org>',
  GATEFOLD_LIMITS: 'webhooks-per-board=2',
});
afterAll(() => Promise.all([server.close(), mails.stop()]));

interface WebhookJson {
  readonly id: number;
  readonly target: string;
  readonly enabled: boolean;
  readonly lastError: string | null;
  readonly offReason: string | null;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const HOUR_MS = 3_600_000;

const groups = new Groups(app);
const clock = app.inside(Clock);
let ada: NewsClient;
let ben: NewsClient;
let adas: TestUser;
let bens: TestUser;
let stranger: NewsClient;
let group: string;
let folder: number;
let board: number;
let specs = 0;
let feeds = 0;
/** Requests of earlier specs. */
let known: number;

beforeEach(async () => {
  specs += 1;
  known = server.received.length;
  [adas, bens] = [await app.signIn(), await app.signIn()];
  [ada, ben] = [new NewsClient(adas, 'v1-3'), new NewsClient(bens, 'v1-3')];
  stranger = new NewsClient(await app.signIn(), 'v1-3');
  group = `desk-${specs}`;
  await groups.create(group, `Desk ${specs}`);
  folder = await groups.createFolder(group, 'Desk');
  board = await groups.createBoard(folder);
  await groups.enter(group, adas.credentials.userId);
  await groups.enter(group, bens.credentials.userId);
  await setEditors([adas]);
});

afterEach(async () => {
  Reflect.deleteProperty(clock, 'now');
  Object.assign(server, { usual: 200 });
  server.answers.length = 0;
  await app.database.query('delete from group_folder');
});

const setEditors = (users: readonly TestUser[]) =>
  ok(
    groups.news.put(`/admin/group-folders/${folder}/editors`, {
      editors: users.map(({ credentials }) => credentials.userId),
    }),
  );
const setClock = (at: number) => (clock.now = () => new Date(at));
const tell = () => app.inside(BoardTelling).sendDue();

/** Makes the client follow a feed with these articles. @returns their ids, in their order */
async function read(client: NewsClient, titles: readonly string[]) {
  const path = `/board-${(feeds += 1)}.xml`;
  const items = titles.map((title) => ({
    title,
    guid: title,
    link: publisher.url(`/${specs}/${title}.html`),
  }));
  publisher.publish(path, rss({ title: 'feed', items }));
  const { id } = await client.subscribe(publisher.url(path));
  const list = (await client.items()).filter(({ feedId }) => feedId === id);
  return titles.map((title) => list.find((item) => item.title === title)?.id ?? 0);
}

const post = (client: NewsClient, itemId: number, note = '') =>
  client.post(`/boards/${board}/entries`, { itemId, note });

/** @returns the ids of the entries */
async function put(titles: readonly string[], note = '', client = ada): Promise<number[]> {
  const ids = [];
  for (const item of await read(client, titles)) {
    ids.push((await ok<{ entry: { id: number } }>(post(client, item, note))).entry.id);
  }
  return ids;
}

const HOOKS = () => `/boards/${board}/webhooks`;

async function addWebhook(given: object = {}, client = ada) {
  const webhook = { form: 'slack', address: server.url('/hook'), ...given };
  return ok<{ webhook: WebhookJson; secret: string | null }>(client.post(HOOKS(), webhook));
}

const addStandard = async () => {
  const { webhook, secret } = await addWebhook({ form: 'standard' });
  return { ...webhook, secret: secret ?? '' };
};

const webhooksOf = async (client = ada) =>
  (await ok<{ webhooks: WebhookJson[] }>(client.get(HOOKS()))).webhooks;
const told = (n = 0) => server.next(known + n);
const since = () => server.received.slice(known);
const idsOf = () => since().map(({ headers }) => headers['webhook-id']);
const titlesOf = () => since().map(({ json }) => (json['data'] as { title: string }).title);

/** Until the webhooks of the board have nothing to tell, before a time that is later. */
const settled = () =>
  until('all is told', async () => {
    await tell();
    const waiting = `select 1 from board_webhook hook join board_entry entry using (board_id)
      where board_id = $1 and enabled and entry.id > hook.told_entry_id`;
    return (await app.database.query(waiting, [board])).length === 0;
  });
const attempted = (count: number) =>
  until(`attempt ${count}`, async () => {
    const [row] = await app.database.query<{ attempts: number }>(
      'select attempts from board_webhook where board_id = $1',
      [board],
    );
    return row?.attempts === count;
  });
const nameOf = async ({ credentials }: TestUser) =>
  (await app.inside(UsersService).find(credentials.userId))?.displayName ?? '';

describe('a webhook of a board', () => {
  it('is told title, link, who added it and why, in the form of its server', async () => {
    await addWebhook();
    await addWebhook({ form: 'teams', address: server.url('/teams') });

    await put(['tides'], 'for <Monday> @channel');
    await settled();

    const link = publisher.url(`/${specs}/tides.html`);
    const [slack, teams] = since().toSorted((a, b) => a.path.localeCompare(b.path));
    const body = `Added by ${await nameOf(adas)}: for`;
    expect(slack?.json).toEqual({
      text: `*<${link}|tides>*\n${body} &lt;Monday&gt; @\u200Bchannel\nWorth reading (Desk ${specs})`,
    });
    const card = JSON.stringify(teams?.json);
    expect(card).toContain(`"text":"tides"`);
    expect(card).toContain(`${body} <Monday>`);
    expect(card).toContain(`"url":"${link}"`);
  });

  it('of Matrix has text and HTML, in which nothing of a note is markup', async () => {
    await addWebhook({ form: 'matrix' });

    await put(['tides'], 'for <b>Monday</b>');

    const { json } = await told();
    const link = publisher.url(`/${specs}/tides.html`);
    expect(json['text']).toContain(`for <b>Monday</b>\nWorth reading (Desk ${specs})\n${link}`);
    expect(json['html']).toContain(`<a href="${link}"><b>tides</b></a>`);
    expect(json['html']).toContain('for &lt;b&gt;Monday&lt;/b&gt;');
  });

  it('is told once what two add, by the first; and again what was removed and came back', async () => {
    await addStandard();
    const [one = 0] = await read(ada, ['tides']);
    const [two = 0] = await read(ben, ['tides']);

    await Promise.all([ok(post(ada, one, 'from Ada')), ok(post(ben, two, 'from Ben'))]);
    await settled();

    expect(titlesOf()).toEqual(['tides']);
    const { entries } = await ok<{ entries: { id: number; added: { note: string }[] }[] }>(
      ada.get(`/boards/${board}/entries`),
    );
    expect(since()[0]?.body.toString()).toContain(entries[0]?.added[0]?.note);
    await ok(ada.delete(`/boards/${board}/entries/${entries[0]?.id}`));
    await ok(post(ada, one));
    await settled();
    expect(titlesOf()).toEqual(['tides', 'tides']);
    expect(new Set(idsOf()).size).toBe(2);
  });

  it('is not told what is removed before, and then not what was on the board when it was added', async () => {
    await put(['before']);
    await addStandard();
    server.answers.push({ status: 503, headers: { 'retry-after': '600' } });
    const [first] = await put(['tides', 'storms']);
    await tell();
    await attempted(1);

    await ok(ada.delete(`/boards/${board}/entries/${first}`));
    setClock(Date.now() + 599_000);
    await tell();
    expect(since()).toHaveLength(1);
    setClock(Date.now() + 601_000);
    await settled();

    expect(titlesOf()).toEqual(['tides', 'storms']);
    expect((await webhooksOf())[0]).toMatchObject({ failingSince: null, lastError: null });
  });

  it('gets the same id again when a process ends between sending and noting it', async () => {
    const { secret } = await addStandard();
    const rows = app.inside(BoardWebhooksRepository);
    const noteTold = rows.noteTold.bind(rows);
    rows.noteTold = () => {
      rows.noteTold = noteTold;
      return Promise.reject(new Error('killed'));
    };

    await put(['tides', 'storms'], 'why');
    await settled();

    expect(titlesOf()).toEqual(['tides', 'tides', 'storms']);
    const [first, second, third] = idsOf();
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    const [{ body, headers } = await told()] = since();
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
      type: 'board.entry',
      data: {
        rule: null,
        count: 1,
        items: [
          {
            feedId: board,
            feedTitle: 'Worth reading',
            title: 'tides',
            url: publisher.url(`/${specs}/tides.html`),
            author: await nameOf(adas),
            excerpt: 'why',
          },
        ],
      },
    });
  });

  it('is told ten an hour, and the rest together when it is over, once also after a kill', async () => {
    await addStandard();
    const hour = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
    setClock(hour + 1000);
    const titles = Array.from({ length: 13 }, (_, n) => `article-${n}`);
    await put(titles);
    await until('ten', async () => {
      await tell();
      return since().length === 10;
    });
    await until('the deferral', async () => {
      const rows = await app.database.query(
        'select 1 from board_webhook where board_id = $1 and gather_to = -1',
        [board],
      );
      return rows.length > 0;
    });
    setClock(hour + HOUR_MS - 1000);
    await tell();
    const rows = app.inside(BoardWebhooksRepository);
    const noteTold = rows.noteTold.bind(rows);
    const [late = 0] = await read(ben, ['late']);
    rows.noteTold = async () => {
      rows.noteTold = noteTold;
      await ok(post(ben, late));
      throw new Error('killed');
    };
    setClock(hour + HOUR_MS);

    await settled();

    expect(titlesOf()).toEqual([
      ...titles.slice(0, 10),
      'New on the board “Worth reading”: 3',
      'New on the board “Worth reading”: 3',
      'late',
    ]);
    const ids = idsOf();
    expect(ids[11]).toBe(ids[10]);
    const text = since()[11]?.body.toString() ?? '';
    expect(titles.filter((title) => text.includes(`${title} (`))).toEqual(titles.slice(10));
    expect(text).not.toContain('late');
  });

  it('is switched off by 410, with the reason; on again it is told what is added from then on', async () => {
    const { id } = await addStandard();
    server.answers.push({ status: 410 });
    await put(['tides']);
    await until('the end', async () => {
      await tell();
      return (await webhooksOf())[0]?.enabled === false;
    });
    expect(await webhooksOf()).toMatchObject([{ offReason: expect.stringContaining('410') }]);
    const subjects = await app.inside(InstallationChecks).run();
    expect(subjects.find(({ subject }) => subject === 'Boards')?.findings).toMatchObject([
      { state: 'warning', text: expect.stringContaining('1 webhooks of boards fail') },
    ]);

    await ok(ada.put(`${HOOKS()}/${id}`, { enabled: true }));
    await settled();
    await put(['storms']);
    await settled();

    expect(titlesOf()).toEqual(['tides', 'storms']);
    expect(await webhooksOf()).toMatchObject([{ enabled: true, offReason: null }]);
  });

  it('gives up an entry that is refused, and goes on with the next one', async () => {
    await addStandard();
    server.answers.push({ status: 413 }, { status: 413 });

    await put(['tides', 'storms']);
    await settled();

    expect(titlesOf().at(-1)).toBe('storms');
    expect(since()).toHaveLength(3);
  });

  it('that waited in a backup is told nothing of it after a restore', async () => {
    await addStandard();
    server.answers.push({ status: 503 });
    await put(['tides']);
    await tell();
    await attempted(1);

    await app.inside(RestoreHooks).run();
    setClock(Date.now() + HOUR_MS);
    await settled();

    expect(since()).toHaveLength(1);
  });

  it('can be tried, and says in a sentence whether it works; its address is never shown', async () => {
    const { webhook } = await addWebhook({ address: server.url('/secret-path') });
    const tried = () => ok(ada.post(`${HOOKS()}/${webhook.id}/test`));

    expect(await tried()).toEqual({ sent: true, message: 'The message was sent.' });
    server.answers.push({ status: 401 });
    expect(await tried()).toMatchObject({
      sent: false,
      message: expect.stringContaining('answered with status 401.'),
    });

    expect(webhook.target).toBe(new URL(server.url('/')).host);
    expect(JSON.stringify(await webhooksOf())).not.toContain('secret-path');
    const [row] = await app.database.query<{ all: string }>(
      'select board_webhook::text as all from board_webhook where board_id = $1',
      [board],
    );
    expect(row?.all).not.toContain(Buffer.from('secret-path').toString('hex'));
  });

  it.each([
    [{ address: 'ftp://example.org/' }, 'needs an address that begins with http'],
    [{ address: 'http://10.0.0.1/hook' }, 'is not on the public internet'],
    [{ form: 'gotify', address: 'https://example.org/' }, 'needs the token'],
    [{ form: 'wallabag' }, 'form'],
    [{ name: 'x'.repeat(101) }, 'has at most 100 characters'],
  ])('with %j is refused', async (given, message) => {
    const answer = await ada.post(HOOKS(), {
      form: 'slack',
      address: server.url('/hook'),
      ...given,
    });

    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(message)]);
    expect(await webhooksOf()).toEqual([]);
  });

  it('is one of so many at most, each to another address', async () => {
    await addWebhook();
    const same = await ada.post(HOOKS(), { form: 'slack', address: server.url('/hook') });
    expect([same.status, same.text]).toEqual([422, expect.stringContaining('already')]);
    await addWebhook({ address: server.url('/other') });

    const third = await ada.post(HOOKS(), { form: 'slack', address: server.url('/third') });

    expect([third.status, third.text]).toEqual([
      422,
      expect.stringContaining('at most 2 webhooks per board'),
    ]);
  });

  it('is set by editors and administrators only, stays when they go, and ends with the board', async () => {
    const { webhook } = await addWebhook();
    await setEditors([bens]);
    const answers = async (client: NewsClient) => [
      await client.get(HOOKS()),
      await client.post(HOOKS(), { form: 'slack', address: server.url('/x') }),
      await client.put(`${HOOKS()}/${webhook.id}`, { enabled: false }),
      await client.post(`${HOOKS()}/${webhook.id}/test`),
      await client.put(`/boards/${board}/digest`, { at: '07:00', timeZone: 'UTC' }),
      await client.delete(`${HOOKS()}/${webhook.id}`),
    ];

    const exEditor = (await answers(ada)).map(({ status }) => status);
    const outsider = (await answers(stranger)).map(({ status }) => status);
    expect(exEditor).toEqual([404, 404, 404, 404, 404, 404]);
    expect(outsider).toEqual([404, 404, 404, 404, 404, 404]);
    expect(since()).toEqual([]);
    await groups.leave(group, adas.credentials.userId);
    await put(['tides'], '', ben);
    await settled();
    expect(since()).toHaveLength(1);
    const byEditor = (await answers(ben)).map(({ status }) => status);
    expect(byEditor).toEqual([200, 200, 200, 200, 200, 200]);
    expect((await webhooksOf(groups.news)).map(({ enabled }) => enabled)).toEqual([true]);

    server.usual = 503;
    await put(['tides', 'storms'], '', ben);
    await tell();
    await attempted(1);
    await ok(groups.news.delete(`/boards/${board}`));

    const count = since().length;
    setClock(Date.now() + HOUR_MS);
    await tell();
    for (const table of ['board_webhook', 'board_digest', 'board_entry']) {
      const rows = await app.database.query(`select 1 from ${table} where board_id = $1`, [board]);
      expect(rows).toEqual([]);
    }
    expect(since()).toHaveLength(count);
  });

  it('is in the audit log when it is set, without its address', async () => {
    const { webhook } = await addWebhook({ address: server.url('/secret-path') });
    await ok(ada.put(`${HOOKS()}/${webhook.id}`, { enabled: false }));
    await ok(ada.delete(`${HOOKS()}/${webhook.id}`));
    await ok(ada.put(`/boards/${board}/digest`, { at: '07:00', timeZone: 'Europe/Berlin' }));
    await ok(ada.put(`/boards/${board}/digest`, { at: null }));

    const events = await app.database.query<{ details: string }>(
      `select details from security_event where kind = 'group_changed'
        and subject_id = $1 and details like 'board %' order by id`,
      [group],
    );
    expect(events.map(({ details }) => details)).toEqual([
      `board "Worth reading": webhook ${webhook.id} to ${webhook.target} added`,
      `board "Worth reading": webhook ${webhook.id} switched off`,
      `board "Worth reading": webhook ${webhook.id} removed`,
      'board "Worth reading": digest at 07:00 (Europe/Berlin)',
      'board "Worth reading": no digest',
    ]);
  });
});

describe('the digest of a board', () => {
  let adaMail: string;
  let benMail: string;

  beforeEach(async () => {
    [adaMail, benMail] = [`ada-${specs}@example.org`, `ben-${specs}@example.org`];
    await app.inside(UsersService).changeEmail(adas.credentials.userId, adaMail);
    await app.inside(UsersService).changeEmail(bens.credentials.userId, benMail);
  });

  const setDigest = (at: string | null, timeZone = 'Europe/Berlin') =>
    ok(ada.put(`/boards/${board}/digest`, { at, timeZone }));
  const digestOf = async (client: NewsClient) =>
    (await ok<{ boards: { digest: object | null }[] }>(client.get('/boards'))).boards[0]?.digest;
  const pass = async (time: string) => {
    setClock(Date.parse(time));
    await app.inside(BoardDigests).sendDue();
  };
  const mailsTo = (address: string) => mails.mails.filter(({ to }) => to.includes(address));
  const noJobs = () =>
    until(
      'the end of the jobs',
      async () => {
        const jobs = await app.database.query(
          `select 1 from ${JOB_SCHEMA}.job where name = 'board-digests' and state < 'completed'`,
        );
        return jobs.length === 0;
      },
      30,
    );

  it('has what is new once a day, for members with an address, in the language of each', async () => {
    await bens.call('PATCH', '/ocs/v2.php/apps/gatefold/api/v1/preferences/pages', {
      json: { values: { language: 'de' } },
    });
    await groups.enter(group, (await app.signIn()).credentials.userId);
    await put(['before']);
    setClock(Date.parse('2027-01-10T12:00:00Z'));
    await setDigest('07:00');
    await put(['tides', 'storms'], 'for <Monday>');

    await pass('2027-01-11T05:59:59Z');
    expect(mailsTo(adaMail)).toEqual([]);
    await pass('2027-01-11T06:00:00Z');
    await pass('2027-01-11T06:00:20Z');

    const { subject, text, html, headers } = await mails.mailTo(adaMail);
    const values = { board: 'Worth reading', count: '2' };
    expect(subject).toBe('New on the board “Worth reading”: 2');
    const link = publisher.url(`/${specs}/tides.html`);
    expect(text).toContain(`tides\n${link}\nAdded by ${await nameOf(adas)}: for <Monday>`);
    expect(text).toContain('storms');
    expect(text).not.toContain('before');
    expect(html).toContain(`<a href="${link}">`);
    expect(html).toContain('for &lt;Monday&gt;');
    expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect((await mails.mailTo(benMail)).subject).toBe(
      textIn('de', 'notices', 'boardEntries', values),
    );
    await noJobs();

    await pass('2027-01-12T06:00:00Z');
    await noJobs();
    expect(mailsTo(adaMail)).toHaveLength(1);
    await put(['clouds']);
    await pass('2027-01-13T06:00:00Z');
    expect((await mails.mailTo(adaMail, 1)).text).not.toContain('tides');
    await noJobs();
    expect([mailsTo(adaMail).length, mailsTo(benMail).length]).toEqual([2, 2]);
  });

  it('comes once a day also when the clock is set', async () => {
    setClock(Date.parse('2027-03-26T12:00:00Z'));
    await setDigest('02:30');
    for (const [n, title] of ['a', 'b', 'c', 'd'].entries()) {
      await put([title]);
      // At 2027-03-28, there is no 02:30 in Berlin: 01:30 UTC is 03:30.
      const day = `2027-03-${27 + n}`;
      for (const time of ['00:29:59', '00:30:00', '01:29:59', '01:30:00', '02:30:00']) {
        await pass(`${day}T${time}Z`);
        await noJobs();
      }
      expect(mailsTo(adaMail)).toHaveLength(n + 1);
    }
    // Twice 02:30 in Berlin.
    await pass('2027-10-30T12:00:00Z');
    await put(['e']);
    await pass('2027-10-31T00:30:00Z');
    await mails.mailTo(adaMail, 4);
    await put(['f']);
    await pass('2027-10-31T01:30:00Z');
    await noJobs();
    expect(mailsTo(adaMail)).toHaveLength(5);
  });

  it('is sent to all or nobody when a process ends, and once to each', async () => {
    setClock(Date.parse('2027-01-10T12:00:00Z'));
    await setDigest('07:00');
    await put(['tides']);
    const jobs = app.inside(JobQueue);
    const send = jobs.send.bind(jobs);
    jobs.send = async (kind, some, tx) => {
      jobs.send = send;
      await send(kind, some, tx);
      throw new Error('killed');
    };
    await expect(pass('2027-01-11T06:00:00Z')).rejects.toThrow('killed');

    await pass('2027-01-11T06:00:20Z');

    await Promise.all([mails.mailTo(adaMail), mails.mailTo(benMail)]);
    await noJobs();
    expect([mailsTo(adaMail).length, mailsTo(benMail).length]).toEqual([1, 1]);
  });

  it('has the same Message-ID when a process ends between sending and noting it', async () => {
    setClock(Date.parse('2027-01-10T12:00:00Z'));
    await setDigest('07:00');
    await put(['tides']);
    const before = app.database.query('select * from board_digest where board_id = $1', [board]);
    const [{ told_entry_id: toldEntryId } = { told_entry_id: 0 }] = (await before) as {
      told_entry_id: number;
    }[];
    await pass('2027-01-11T06:00:00Z');
    await mails.mailTo(adaMail);
    await noJobs();

    await app.database.query(
      'update board_digest set told_entry_id = $2, next_at = $3 where board_id = $1',
      [board, toldEntryId, clock.now()],
    );
    await pass('2027-01-11T06:00:20Z');

    const second = await mails.mailTo(adaMail, 1);
    expect(second.headers.get('message-id')).toBe(mailsTo(adaMail)[0]?.headers.get('message-id'));
  });

  it('is none for who declined it, left, or has no confirmed address, and none of what was removed', async () => {
    setClock(Date.parse('2027-01-10T12:00:00Z'));
    await setDigest('07:00');
    expect(await digestOf(ben)).toEqual({ at: '07:00', timeZone: 'Europe/Berlin', wanted: true });
    const mine = `/boards/${board}/digest/mine`;
    expect((await stranger.put(mine, { wanted: false })).status).toBe(404);
    expect((await groups.news.put(mine, { wanted: false })).status).toBe(404);
    await ok(ben.put(mine, { wanted: false }));
    expect(await digestOf(ben)).toMatchObject({ wanted: false });
    const carl = await app.signIn();
    await groups.enter(group, carl.credentials.userId);
    await app
      .inside(UsersService)
      .changeEmail(carl.credentials.userId, `carl-${specs}@example.org`);
    await groups.leave(group, carl.credentials.userId);
    const [removed] = await put(['tides']);
    await put(['storms']);
    await ok(ada.delete(`/boards/${board}/entries/${removed}`));

    await pass('2027-01-11T06:00:00Z');

    expect((await mails.mailTo(adaMail)).text).not.toContain('tides');
    await noJobs();
    expect(mailsTo(benMail)).toEqual([]);
    expect(mailsTo(`carl-${specs}@example.org`)).toEqual([]);
    await ok(ben.put(mine, { wanted: true }));
    await put(['clouds']);
    await pass('2027-01-12T06:00:00Z');
    expect((await mails.mailTo(benMail)).text).not.toContain('storms');
  });

  it('is looked at again when it is sent', async () => {
    setClock(Date.parse('2027-01-10T12:00:00Z'));
    await setDigest('07:00');
    const [entry] = await put(['tides']);
    const jobs = app.inside(JobQueue);
    const send = jobs.send.bind(jobs);
    jobs.send = async (kind, some, tx) => {
      jobs.send = send;
      await groups.leave(group, bens.credentials.userId);
      await ok(ada.delete(`/boards/${board}/entries/${entry}`));
      expect(some).toHaveLength(2);
      await send(kind, some, tx);
    };

    await pass('2027-01-11T06:00:00Z');

    await noJobs();
    expect([...mailsTo(adaMail), ...mailsTo(benMail)]).toEqual([]);
  });

  it('ends by one press in a mail program, for that member alone', async () => {
    setClock(Date.parse('2027-01-10T12:00:00Z'));
    await setDigest('07:00');
    await put(['tides']);
    await pass('2027-01-11T06:00:00Z');
    const { headers } = await mails.mailTo(benMail);
    const url = (headers.get('list-unsubscribe') ?? '').replace(/^<|>$/g, '');
    expect(url).toMatch(new RegExp(`^${app.url}/apps/news/board-digests/`));
    const press = (path: string) =>
      app.asStranger().call('POST', path, { body: 'List-Unsubscribe=One-Click', headers: FORM });
    const { pathname } = new URL(url);

    const name = Buffer.from(adas.credentials.userId).toString('base64url');
    const forged = pathname.replace(/\.[^.]+\./, `.${name}.`);
    for (const wrong of [forged, `${pathname}x`, '/apps/news/board-digests/x', `${forged}.x`]) {
      const { status, text } = await press(wrong);
      expect([status, text]).toEqual([404, expect.stringContaining('no such link to decline')]);
    }
    expect(await digestOf(ben)).toMatchObject({ wanted: true });
    expect((await press(pathname)).status).toBe(200);

    expect(await digestOf(ben)).toMatchObject({ wanted: false });
    expect(await digestOf(ada)).toMatchObject({ wanted: true });
  });

  it('has its time set at most five times within a day, so that members do not get a mail at each', async () => {
    setClock(Date.parse('2027-01-10T12:00:00Z'));
    for (const at of ['07:00', '08:00', '09:00', '10:00', '11:00']) {
      await setDigest(at);
    }
    await setDigest(null);

    const sixth = await ada.put(`/boards/${board}/digest`, { at: '12:00', timeZone: 'UTC' });

    expect([sixth.status, sixth.headers['retry-after']]).toEqual([429, '86400']);
    expect(sixth.text).toContain('The time of the digest was set 5 times within a day');
    expect(await digestOf(ada)).toBeNull();
    setClock(Date.parse('2027-01-11T12:00:01Z'));
    await setDigest('12:00');
    expect(await digestOf(ada)).toMatchObject({ at: '12:00' });
  });

  it.each([
    [{ at: '7', timeZone: 'UTC' }, 'must be a time'],
    [{ at: '07:00', timeZone: 'Mars' }, 'must be a time zone'],
  ])('cannot be set to %j', async (given, message) => {
    const answer = await ada.put(`/boards/${board}/digest`, given);

    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(message)]);
    expect(await digestOf(ada)).toBeNull();
  });
});
