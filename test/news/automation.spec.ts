import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Config } from '../../src/common/config/config.js';
import { AutomationPlanner } from '../../src/news/assistance/automation/automation-planner.service.js';
import { knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { rss } from '../support/feed-server.js';
import { Random } from '../support/histories/random.js';
import { isLong } from '../support/long.js';
import { NewsClient, ok, type FeedJson } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { startApp, type TestUser } from '../support/start-app.js';
import { statementsDuring } from '../support/statements.js';
import {
  provideTasks,
  type ProvidedTask,
  type TaskProviderCalls,
} from '../support/task-provider.js';
import { until } from '../support/until.js';

const BUDGET = 6;
const TRANSLATE = 'core:text2text:translate';
const SUMMARY = 'core:text2text:summary';
const LANGUAGES = {
  from: { detect_language: 'Detect language', en: 'English' },
  to: { en: 'English', de: 'German', fr: 'French' },
};

interface AutomationJson {
  readonly languages: readonly { readonly code: string; readonly label: string }[];
  readonly summarises: boolean;
  readonly usedToday: number;
  readonly mostPerDay: number;
  readonly feeds: readonly object[];
  readonly folders: readonly object[];
}

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_LIMITS: `automatic-tasks-per-user-and-day=${BUDGET}`,
});
let user: TestUser;
let news: NewsClient;
let external: ExternalApp;
let feed: FeedJson;
let specs = 0;
let titles: string[];

beforeEach(async () => {
  specs += 1;
  titles = ['backlog'];
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  external = await startExternalApp(app, { appId: `auto-${specs}` });
  await knowApp(app, external);
  publish();
  feed = await news.subscribe(address());
});
afterEach(async () => {
  await external.close();
  await app.database.query('delete from ex_app');
  await app.database.query('delete from processing_task');
  await app.database.query('delete from automatic_pause');
  await app.database.query('delete from reader_user');
  await app.database.query('delete from reader');
});

const path = () => `/automatic-${specs}`;
const address = () => publisher.url(path());

function publish(): void {
  const items = titles.map((title) => ({ title, guid: title, body: `<p>Text of ${title}.</p>` }));
  publisher.publish(path(), rss({ title: path(), link: publisher.url('/'), items }));
}

/** The publisher adds articles, and the user's client synchronises. */
async function arrive(added: readonly string[], client = news): Promise<void> {
  titles = [...added, ...titles];
  publish();
  await new NewsClient(app.asAdmin(), 'v1-3').update(user.credentials.userId, feed.id);
  await client.rows();
}

const choose = (choice: object, client = news, feedId = feed.id) =>
  ok(client.post(`/feeds/${feedId}/automation`, { titlesTo: null, summarise: null, ...choice }));
const chooseForFolder = (folderId: number, choice: object) =>
  ok(news.post(`/folders/${folderId}/automation`, { titlesTo: null, summarise: null, ...choice }));
const automation = (client = news) => ok<AutomationJson>(client.get('/automation'));
const brain = (types = [TRANSLATE, SUMMARY]) => provideTasks(external, types, LANGUAGES);

const textOf = ({ input }: ProvidedTask) => String(input['input']);

/** Ends the next task: each title with a word more. */
async function translateNext(provider: TaskProviderCalls): Promise<string> {
  const task = await provider.awaitTask();
  await provider.succeed(task, { output: textOf(task).replace(/$/gm, ' (de)') });
  return textOf(task);
}

/** Waits until no automatic request is running. */
async function settled(at = app): Promise<void> {
  await until('the end of automatic requests', async () => {
    const [row] = await at.database.query<{ busy: boolean }>(
      `select exists (select from article_assistance where automatic and state = 'running')
           or exists (select from job.job
                       where (name like 'news-auto%' or name in ('news-arrival', 'news-early-delivery'))
                         and name not like '%letters' and state < 'completed') as busy`,
    );
    return row?.busy === false;
  });
}

async function shownTitles(client = news): Promise<Record<string, string | undefined>> {
  const { rows } = await client.rows();
  return Object.fromEntries(
    rows.map((row) => [row.title, (row as { translatedTitle?: string }).translatedTitle]),
  );
}

describe('the choice', () => {
  it('is offered with what providers can do, and starts switched off', async () => {
    expect(await automation()).toEqual({
      languages: [],
      summarises: false,
      usedToday: 0,
      mostPerDay: BUDGET,
      feeds: [],
      folders: [],
    });

    await brain();

    expect(await automation()).toMatchObject({
      languages: [
        { code: 'de', label: 'German' },
        { code: 'fr', label: 'French' },
      ],
      summarises: true,
    });
  });

  it('is kept for feeds and folders, also without a provider', async () => {
    const folder = await news.createFolder('Abroad');
    await chooseForFolder(folder.id, { titlesTo: 'de' });
    await choose({ titlesTo: '', summarise: true });

    expect(await automation()).toMatchObject({
      feeds: [{ feedId: feed.id, titlesTo: '', summarise: true }],
      folders: [{ folderId: folder.id, titlesTo: 'de', summarise: null }],
    });
    await choose({});
    expect(await automation()).toMatchObject({ feeds: [] });
  });

  it('is refused for feeds and folders of others, and neither seen by them', async () => {
    const stranger = new NewsClient(await app.signIn(), 'v1-3');
    const folder = await news.createFolder('Abroad');
    await choose({ titlesTo: 'de' });
    const answers = [
      await stranger.post(`/feeds/${feed.id}/automation`, { titlesTo: 'de' }),
      await stranger.post(`/folders/${folder.id}/automation`, { titlesTo: 'de' }),
      await news.post(`/feeds/${feed.id}/automation`, { titlesTo: 'de>en' }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 422]);
    expect(await automation(stranger)).toMatchObject({ feeds: [], folders: [] });
  });
});

describe('titles of new items', () => {
  it('are translated, many at a time; items that were there before stay as they are', async () => {
    const provider = await brain();
    await choose({ titlesTo: 'de' });
    await arrive(['one', 'two', 'three']);
    const sent = await translateNext(provider);
    await settled();

    expect(sent.split('\n').toSorted()).toEqual(['one', 'three', 'two']);
    expect(await shownTitles()).toEqual({
      one: 'one (de)',
      two: 'two (de)',
      three: 'three (de)',
      backlog: undefined,
    });
    expect(await provider.next()).toBeNull();
    expect((await automation()).usedToday).toBe(1);
  });

  it('are translated by a provider that only detects their language', async () => {
    const from = { detect_language: 'Detect language' };
    const provider = await provideTasks(external, [TRANSLATE], { ...LANGUAGES, from });
    await choose({ titlesTo: 'de' });
    await arrive(['one']);
    await translateNext(provider);
    await settled();

    expect((await automation()).languages.map(({ code }) => code)).toEqual(['en', 'de', 'fr']);
    expect(await shownTitles()).toMatchObject({ one: 'one (de)' });
  });

  it('stay original for clients of the News API; one item has both, and the summary', async () => {
    const provider = await brain();
    await choose({ titlesTo: 'de', summarise: true });
    await arrive(['one']);
    for (let n = 0; n < 2; n += 1) {
      const task = await provider.awaitTask();
      const output = task.type === SUMMARY ? 'In short.' : 'EINS';
      await provider.succeed(task, { output });
    }
    await settled();

    const item = await news.item('one');
    expect(item).not.toHaveProperty('translatedTitle');
    expect(await ok(news.get(`/items/${item.id}`))).toMatchObject({
      title: 'one',
      translatedTitle: 'EINS',
      summary: 'In short.',
    });
    expect(await ok(news.post('/automation/titles', { itemIds: [item.id, 999] }))).toEqual({
      titles: [{ id: item.id, translatedTitle: 'EINS' }],
    });
  });

  it('come with the latest summary, be it of the excerpt or of the full text', async () => {
    const provider = await brain();
    await choose({ summarise: true });
    await arrive(['one']);
    await provider.succeed(await provider.awaitTask(), { output: 'Of the excerpt.' });
    await settled();
    const { id } = await news.item('one');
    const shown = async () => (await ok<{ summary: string }>(news.get(`/items/${id}`))).summary;
    const before = await shown();

    await app.database.query(
      `insert into article_assistance (article_id, source_id, kind, languages, full_text, input_hash,
                                       state, result, finished_at)
       select article_id, source_id, kind, languages, true, input_hash, state,
              '{"text": "Of the full text."}', finished_at + interval '1 second'
         from article_assistance where kind = 'summary'`,
    );

    expect([before, await shown()]).toEqual(['Of the excerpt.', 'Of the full text.']);
  });

  it('are shared with others who have the article, and each is paid for once', async () => {
    const provider = await brain();
    const other = await app.signIn();
    const others = new NewsClient(other, 'v1-3');
    const theirs = await others.subscribe(address());
    await choose({ titlesTo: 'de' });
    await arrive(['one']);
    await translateNext(provider);
    await settled();
    expect(await shownTitles(others)).toMatchObject({ one: undefined });

    await choose({ titlesTo: 'de' }, others, theirs.id);
    await arrive(['two']);
    await translateNext(provider);
    await others.rows();
    await settled();

    expect(await shownTitles(others)).toMatchObject({ one: 'one (de)', two: 'two (de)' });
    expect(await provider.next()).toBeNull();
    // The second arrives for both at once: either of them begins its translation.
    expect((await automation()).usedToday + (await automation(others)).usedToday).toBe(2);
  });

  it('follow the folder, unless the feed has a choice of its own', async () => {
    const provider = await brain();
    const folder = await news.createFolder('Abroad');
    await ok(news.post(`/feeds/${feed.id}/move`, { folderId: folder.id }));
    await chooseForFolder(folder.id, { titlesTo: 'de' });
    await arrive(['one']);
    await translateNext(provider);
    await choose({ titlesTo: '' });
    await arrive(['two']);
    await settled();

    expect(await provider.next()).toBeNull();
    // The feed shows originals now, also of what was translated before.
    expect(await shownTitles()).toMatchObject({ one: undefined, two: undefined });
    await choose({});
    expect(await shownTitles()).toMatchObject({ one: 'one (de)', two: undefined });
  });

  it('are original again once the publisher has changed them', async () => {
    const provider = await brain();
    await choose({ titlesTo: 'de' });
    await arrive(['one']);
    await translateNext(provider);
    await settled();
    const changed = [{ title: 'one, corrected', guid: 'one', body: '<p>Text of one.</p>' }];
    publisher.publish(path(), rss({ title: path(), link: publisher.url('/'), items: changed }));
    await new NewsClient(app.asAdmin(), 'v1-3').update(user.credentials.userId, feed.id);

    expect(await shownTitles()).toMatchObject({ 'one, corrected': undefined });
  });
});

describe('the budget of a day', () => {
  it('leaves out the oldest items when it is short, also on the next day', async () => {
    const provider = await brain([SUMMARY]);
    await choose({ summarise: true });
    await arrive(Array.from({ length: BUDGET + 2 }, (_, n) => `item ${n}`));
    const worked: string[] = [];
    for (let n = 0; n < BUDGET; n += 1) {
      const task = await provider.awaitTask();
      worked.push(/item \d/.exec(textOf(task))?.[0] ?? '');
      await provider.succeed(task, { output: 'Short.' });
    }
    await settled();

    // The publisher lists the newest first.
    expect(worked.toSorted()).toEqual(Array.from({ length: BUDGET }, (_, n) => `item ${n}`));
    expect((await automation()).usedToday).toBe(BUDGET);
    await app.database.query('update automatic_reader set day = day - 1');
    expect((await automation()).usedToday).toBe(0);
    await arrive(['later']);
    expect(textOf(await provider.awaitTask())).toContain('later');
  });

  it('is never exceeded, however plans of several processes interleave', async () => {
    const provider = await brain([SUMMARY]);
    const { databaseUrl = '', dataDir, limits } = app.inside(Config);
    const twin = isLong
      ? await startApp({
          DATABASE_URL: databaseUrl,
          GATEFOLD_DATA_DIR: dataDir,
          GATEFOLD_LIMITS: `automatic-tasks-per-user-and-day=${limits['automatic-tasks-per-user-and-day']}`,
        })
      : null;
    const random = new Random(7);
    await choose({ summarise: true });
    let arrived = 0;
    for (let round = 0; round < 4; round += 1) {
      const count = 2 + random.below(3);
      const added = Array.from({ length: count }, () => `random ${(arrived += 1)}`);
      titles = [...added, ...titles];
      publish();
      await new NewsClient(app.asAdmin(), 'v1-3').update(user.credentials.userId, feed.id);
      await Promise.all([
        news.rows(),
        ...(twin === null ? [app, app] : [app, twin, app, twin]).map((at) =>
          at.inside(AutomationPlanner).plan(user.credentials.userId),
        ),
      ]);
    }
    const [{ count } = { count: 0 }] = await app.database.query<{ count: number }>(
      'select count(*)::int as count from article_assistance where automatic and user_id = $1',
      [user.credentials.userId],
    );

    expect(arrived).toBeGreaterThan(BUDGET);
    expect(count).toBe(BUDGET);
    expect((await automation()).usedToday).toBe(BUDGET);
    for (let n = 0; n < BUDGET; n += 1) {
      await provider.succeed(await provider.awaitTask(), { output: 'Short.' });
    }
    await settled();
    // Not before: a job that it began would be repeated only after its lease.
    await twin?.stop();
  });

  it('is planned with one connection, while others wait for theirs', async () => {
    await choose({ titlesTo: 'de', summarise: true });
    await arrive(['one', 'two']);
    await settled();
    const provider = await brain();
    const held = await app.database.withPool((pool) =>
      Promise.all(Array.from({ length: (pool.options.max ?? 0) - 1 }, () => pool.connect())),
    );

    try {
      await app.inside(AutomationPlanner).plan(user.credentials.userId);
    } finally {
      held.forEach((connection) => connection.release());
    }

    expect((await automation()).usedToday).toBe(3);
    for (let n = 0; n < 3; n += 1) {
      const task = await provider.awaitTask();
      await provider.succeed(task, { output: textOf(task) });
    }
    await settled();
  });

  it('is not burnt by a provider that fails: after three failures the rest is left and given back', async () => {
    const provider = await brain([SUMMARY]);
    await choose({ summarise: true });
    await arrive(['a', 'b', 'c', 'd', 'e', 'f']);
    for (let n = 0; n < 3; n += 1) {
      await provider.fail(await provider.awaitTask(), 'Out of ink.');
    }
    await settled();

    expect(await provider.next()).toBeNull();
    expect((await automation()).usedToday).toBe(3);
    await arrive(['g']);
    await settled();
    expect(await provider.next()).toBeNull();
    // The pause is over: what arrived meanwhile is worked on, while the provider is well.
    await app.database.query('update automatic_pause set paused_until = now()');
    await arrive(['h']);
    for (let n = 0; n < 2; n += 1) {
      const task = await provider.awaitTask();
      expect(textOf(task)).toMatch(/^[gh]\n/);
      await provider.succeed(task, { output: 'Short.' });
    }
    await settled();
    expect(await app.database.query('select 1 from automatic_pause')).toEqual([]);
  });
});

describe('users without automatic tasks', () => {
  it('cost no statement more when items are delivered', async () => {
    const other = await app.signIn();
    const others = new NewsClient(other, 'v1-3');
    await others.subscribe(address());
    await others.rows();
    await choose({ titlesTo: 'de' });
    const delivering = async (added: string) => {
      // Fetches, and delivers to the other user.
      await arrive([added]);
      await settled();
      return (await statementsDuring(app.database, () => others.rows())).filter(
        // Without what the service does by itself for apps.
        (sql) => !/job|ex_app|^(begin|commit)$/.test(sql),
      );
    };

    const without = await delivering('one');
    await app.database.query('delete from automatic_reader');
    await app.database.query('delete from automatic_choice');
    const never = await delivering('two');

    expect(without.some((sql) => sql.includes('insert into item'))).toBe(true);
    expect(without).toEqual(never);
  });
});
