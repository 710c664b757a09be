import { afterAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Command } from 'commander';
import { Config } from '../../src/common/config/config.js';
import { Database } from '../../src/database/database.js';
import { ClockRules } from '../../src/news/reader/rules/clock-rules.service.js';
import { ClockRuns } from '../../src/news/reader/rules/clock-rules.task.js';
import { RuleTrials } from '../../src/news/reader/rules/rule-trials.service.js';
import { registerRuleCommands } from '../../src/news/reader/rules/rules.commands.js';
import { FullTextService } from '../../src/news/sources/full-text/full-text.service.js';
import { RetentionService } from '../../src/news/updater/retention.service.js';
import { rss, type RssItem } from '../support/feed-server.js';
import { publishArticles } from '../support/followed-sources.js';
import { letTimePass } from '../support/let-time-pass.js';
import { NewsClient, ok, titles, type FeedJson, type ItemJson } from '../support/news-client.js';
import { startNoticeReceiver } from '../support/notice-receiver.js';
import { printedBy } from '../support/printed-by.js';
import { readerOf } from '../support/reader-of.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';
import { statementsDuring } from '../support/statements.js';
import { until } from '../support/until.js';

const { app, publisher } = await serviceAndPublisher();
const receiver = await startNoticeReceiver();
afterAll(() => receiver.close());

interface RuleJson {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly problem: string | null;
  readonly query: string;
  readonly actions: readonly object[];
  readonly matches30d: number;
}

type FilteredItemJson = ItemJson & { readonly filtered: boolean };

let user: TestUser;
let news: NewsClient;
let path: string;
let feed: FeedJson;
let feeds = 0;
let published: RssItem[];

beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  path = `/rules-${(feeds += 1)}.xml`;
  published = [];
  await publish({ title: 'first of all' });
  feed = await news.subscribe(publisher.url(path));
  await news.items();
});

/** Adds articles to the top of the document. */
const publish = async (...items: readonly RssItem[]) => {
  published = [...items.toReversed(), ...published];
  publisher.publish(path, rss({ title: 'Feed', link: publisher.url('/'), items: published }));
};

const fetchFeed = () =>
  new NewsClient(app.asAdmin(), 'v1-3').update(user.credentials.userId, feed.id);

/** Publishes and fetches articles; the next request delivers them. */
const arrive = async (...items: readonly RssItem[]) => {
  await publish(...items);
  await fetchFeed();
};

const addRule = async (rule: object, of = news) => {
  const { rules } = await ok<{ rules: RuleJson[] }>(of.post('/rules', rule));
  return rules[0] as RuleJson;
};

const rules = async () => (await ok<{ rules: RuleJson[] }>(news.get('/rules'))).rules;

const flagsOf = async (title: string) => {
  const { unread, starred, filtered, labels } = (await news.item(title)) as FilteredItemJson;
  return { unread, starred, filtered, labels: labels ?? [] };
};

const UNTOUCHED = { unread: true, starred: false, filtered: false, labels: [] };

const refused = async (rule: object) => {
  const { status, json } = await news.post('/rules', rule);
  return [status, (json as { message: string }).message];
};

const undo = async (rule: RuleJson) =>
  (await ok<{ undone: number }>(news.post(`/rules/${rule.id}/undo`))).undone;

const apply = async (rule: RuleJson) =>
  (await ok<{ changed: number }>(news.post(`/rules/${rule.id}/apply`))).changed;

const READ = [{ type: 'read' }];

/** More than one request applies a rule to. */
const LARGE_ACCOUNT = 5200;

describe('a rule', () => {
  it('marks articles that match as read when they arrive', async () => {
    await addRule({ query: 'intitle:deals', actions: [{ type: 'read' }] });

    await arrive({ title: 'Best deals' }, { title: 'A deal' });

    expect(await flagsOf('Best deals')).toEqual({ ...UNTOUCHED, unread: false });
    expect(await flagsOf('A deal')).toEqual(UNTOUCHED);
    expect(await flagsOf('first of all')).toEqual(UNTOUCHED);
    expect((await news.feed(feed.id)).unreadCount).toBe(2);
    expect(await rules()).toEqual([
      expect.objectContaining({ query: 'intitle:deals', problem: null, matches30d: 1 }),
    ]);
  });

  it('is read again only when a rule, or what one names, has changed', async () => {
    const isRead = (sql: string) => /^select rule\.id.* order by place, id$/s.test(sql);
    const readsDuring = async (title: string) => {
      const work = async () => {
        await arrive({ title });
        await news.items();
      };
      return (await statementsDuring(app.inside(Database), work)).filter(isRead).length;
    };
    const star = await addRule({ query: 'deals', actions: [{ type: 'star' }] });
    const hide = await addRule({ query: 'spam', actions: [{ type: 'hide' }] });
    await arrive({ title: 'deals 0' });
    await news.items();

    expect(await readsDuring('deals 1')).toBe(0);
    expect(await flagsOf('deals 1')).toEqual({ ...UNTOUCHED, starred: true });
    await ok(news.put(`/rules/${star.id}`, { query: 'bargain' }));
    expect(await readsDuring('deals bargain 2')).toBe(1);
    expect(await readsDuring('deals 3')).toBe(0);
    expect(await flagsOf('deals bargain 2')).toEqual({ ...UNTOUCHED, starred: true });
    expect(await flagsOf('deals 3')).toEqual(UNTOUCHED);
    await ok(news.delete(`/rules/${hide.id}`));
    expect(await readsDuring('spam bargain')).toBe(1);
    expect(await flagsOf('spam bargain')).toEqual({ ...UNTOUCHED, starred: true });
    await ok(news.put(`/rules/${star.id}`, { enabled: false }));
    expect(await readsDuring('bargain 4')).toBe(0);
    expect(await flagsOf('bargain 4')).toEqual(UNTOUCHED);
  });

  it('stars, labels and hides, and all rules that match unite', async () => {
    await addRule({ query: 'deals', actions: [{ type: 'star' }] });
    await addRule({ query: 'headphones', actions: [{ type: 'label', names: ['Sound', 'Buy'] }] });
    await addRule({ query: 'spam', actions: [{ type: 'hide' }] });

    await arrive({ title: 'Deals: headphones' }, { title: 'spam' });

    expect(await flagsOf('Deals: headphones')).toEqual({
      ...UNTOUCHED,
      starred: true,
      labels: ['Buy', 'Sound'],
    });
    expect(await flagsOf('spam')).toEqual({ ...UNTOUCHED, unread: false, filtered: true });
    const { rows, hidden } = (await news.rows()) as Awaited<ReturnType<NewsClient['rows']>> & {
      hidden?: number;
    };
    expect(rows.map(({ title }) => title)).not.toContain('spam');
    expect(hidden).toBe(1);
    const found = async (path: string, query: string) =>
      JSON.stringify((await ok<object>(news.get(path, { query }))) as object).includes('"spam"');
    expect(await found('/search/rows', 'spam')).toBe(false);
    expect(await found('/search/rows', 'is:filtered')).toBe(true);
    expect(await found('/search/rows', 'spam is:filtered')).toBe(true);
    expect(await found('/search', 'spam')).toBe(true);
  });

  it('tells by the channels of its user', async () => {
    await ok(
      news.post('/channels', { kind: 'webhook', form: 'ntfy', address: receiver.url('/t') }),
    );
    const known = receiver.received.length;
    await addRule({ query: 'quake', actions: [{ type: 'notify', urgent: true }] });

    // No client asks.
    await arrive({ title: 'Quake at sea' });

    expect((await receiver.next(known)).json).toMatchObject({
      title: expect.stringContaining('Quake'),
    });
  });

  it('has places by id, and is inactive without them, never wider', async () => {
    await news.label([(await news.item('first of all')).id], { add: ['Later'] });
    const inFeed = await addRule({ query: `feed:"Feed" deals`, actions: READ });
    const withLabel = await addRule({ query: '-label:Later', actions: READ });
    await addRule({
      query: '',
      scope: { everything: false, feedIds: [feed.id] },
      actions: [{ type: 'star' }],
    });
    await ok(news.post(`/feeds/${feed.id}/rename`, { feedTitle: 'Shop' }));
    expect(await rules()).toMatchObject([{ query: 'feed:Shop deals', problem: null }, {}, {}]);

    const [label] = await news.labels();
    await ok(news.delete(`/labels/${label?.id}`));
    await ok(news.delete(`/feeds/${feed.id}`));

    expect(await rules()).toMatchObject([
      { id: inFeed.id, problem: expect.stringContaining('a feed that was deleted') },
      { id: withLabel.id, problem: expect.stringContaining('a label that was deleted') },
      { problem: 'The feeds and folders that it looks at were deleted.' },
    ]);
    feed = await news.subscribe(publisher.url(path));
    await arrive({ title: 'Other' });
    expect(await flagsOf('Other')).toEqual(UNTOUCHED);
    // It can be switched off all the same.
    await ok(news.put(`/rules/${inFeed.id}`, { enabled: false }));
  });

  it('lets later ones see its labels, and stops them if it says so', async () => {
    await addRule({ query: 'deals', actions: [{ type: 'label', names: ['Shop'] }] });
    await addRule({ query: 'label:Shop', actions: [{ type: 'star' }] });
    await addRule({ query: 'important', actions: [{ type: 'stop' }] });
    await addRule({ query: '', actions: READ });

    await arrive({ title: 'deals' }, { title: 'important deals' });

    const labelled = { ...UNTOUCHED, starred: true, labels: ['Shop'] };
    expect(await flagsOf('deals')).toEqual({ ...labelled, unread: false });
    expect(await flagsOf('important deals')).toEqual(labelled);
  });

  it('has an order, can be off, and ends', async () => {
    const first = await addRule({ query: 'a', actions: READ, enabled: false });
    const second = await addRule({ query: 'a', actions: READ, until: 1 });
    const third = await addRule({ query: 'a', actions: [{ type: 'stop' }] });
    await ok(news.post('/rules/order', { ruleIds: [third.id, second.id] }));

    await arrive({ title: 'a' });

    expect(await flagsOf('a')).toEqual(UNTOUCHED);
    expect((await rules()).map(({ id }) => id)).toEqual([third.id, second.id, first.id]);
    await ok(news.delete(`/rules/${third.id}`));
    await ok(news.put(`/rules/${first.id}`, { enabled: true }));
    await arrive({ title: 'a new' });
    expect((await flagsOf('a new')).unread).toBe(false);
  });

  it.each([
    [{ query: '(a', actions: READ }, 'bracket'],
    [{ query: 'is:unread', actions: READ }, 'is:unread is not possible in a rule'],
    [{ query: 'feed:Unknown', actions: READ }, 'Unknown'],
    [{ query: 'a', actions: [] }, 'choose at least one action'],
    [{ query: 'a', actions: [...READ, { type: 'notify' }] }, 'cannot both mark'],
    [{ query: 'a', actions: [{ type: 'send', channelId: 1 }] }, 'channel that was deleted'],
    [{ query: 'a', actions: READ, scope: { feedIds: [1] } }, 'were deleted'],
    [{ query: 'a'.repeat(16_001), actions: READ }, '16000 characters'],
    [{ query: 'a', actions: [{ type: 'explode' }] }, 'name of an action'],
  ])('is refused with a sentence: case %#', async (rule, message) => {
    expect(await refused(rule)).toEqual([422, expect.stringContaining(message)]);
    expect(await rules()).toEqual([]);
  });

  it('is its user’s alone', async () => {
    const rule = await addRule({ query: 'a', actions: READ });
    const stranger = new NewsClient(await app.signIn(), 'v1-3');

    expect(await ok(stranger.get('/rules'))).toEqual({ rules: [] });
    for (const answer of [
      stranger.put(`/rules/${rule.id}`, { name: 'b' }),
      stranger.delete(`/rules/${rule.id}`),
      stranger.post(`/rules/${rule.id}/apply`),
      stranger.post(`/rules/${rule.id}/undo`),
      stranger.get(`/rules/${rule.id}/effects`),
    ]) {
      expect((await answer).status).toBe(404);
    }
    expect(await rules()).toMatchObject([{ name: 'a' }]);
  });
});

describe('a limit', () => {
  it('holds for the rules of a user, their characters and their patterns', async () => {
    const { limits } = app.inside(Config);
    const given = { ...limits };
    Object.assign(limits, {
      'rules-per-user': 2,
      'rule-characters-per-user': 20,
      'rule-patterns-per-user': 1,
    });
    try {
      expect(await refused({ query: 'a'.repeat(21), actions: READ })).toEqual([
        422,
        expect.stringContaining('20 rule characters per user'),
      ]);
      const rule = { query: 'intitle:/^a.b/', actions: READ };
      await addRule(rule);
      expect((await refused(rule))[0]).toBe(422);
      await addRule({ query: 'b', actions: READ });
      expect(await refused({ query: 'c', actions: READ })).toEqual([
        422,
        expect.stringContaining('2 rules per user'),
      ]);
    } finally {
      Object.assign(limits, given);
    }
  });
});

describe('what a rule did', () => {
  it('is listed, and undone exactly, but for what was touched since', async () => {
    const rule = await addRule({
      query: 'deals',
      actions: [{ type: 'hide' }, { type: 'label', names: ['Shop'] }],
    });
    await arrive({ title: 'deals one' }, { title: 'deals two' }, { title: 'deals three' });
    const two = await news.item('deals two');
    await ok(news.post(`/items/${two.id}/star`));

    const { effects } = await ok<{ effects: object[] }>(news.get(`/rules/${rule.id}/effects`));
    expect(effects).toHaveLength(6);
    expect(await undo(rule)).toBe(2);

    expect(await flagsOf('deals one')).toEqual(UNTOUCHED);
    expect(await flagsOf('deals three')).toEqual(UNTOUCHED);
    expect(await flagsOf('deals two')).toEqual({
      unread: false,
      starred: true,
      filtered: true,
      labels: ['Shop'],
    });
    expect((await news.feed(feed.id)).unreadCount).toBe(3);
    expect(await undo(rule)).toBe(0);
    // Muting a word is taken back so.
    await ok(news.delete(`/rules/${rule.id}`));
  });

  it('happens once, also after undo, after changes, and if the rule is made again from its file', async () => {
    const rule = await addRule({ query: 'deals', actions: [{ type: 'star' }] });
    await arrive({ title: 'deals', guid: 'd' });
    await undo(rule);
    const file = await ok<object>(news.get('/rules/export'));
    await ok(news.delete(`/rules/${rule.id}`));
    expect(await ok(news.post('/rules/import', file))).toEqual({ imported: 1, problems: [] });
    expect((await rules())[0]?.id).toBe(rule.id);

    published = [{ title: 'deals, changed', guid: 'd' }];
    await arrive();

    expect((await flagsOf('deals, changed')).starred).toBe(false);
    expect(await apply(rule)).toBe(0);
  });

  it('stays read if the user marked all read since', async () => {
    const rule = await addRule({ query: 'deals', actions: [{ type: 'hide' }] });
    await arrive({ title: 'deals' }, { title: 'other' });
    const { newestItemId = 0 } = await news.feedList();
    await news.items();
    await ok(news.post('/items/read', { newestItemId: newestItemId + 10 }));

    await undo(rule);

    expect(await flagsOf('deals')).toEqual({ ...UNTOUCHED, unread: false });
  });

  it('on what is there is a second step, which starred, labelled and touched items do not see', async () => {
    await arrive(
      { title: 'deals 1' },
      { title: 'deals 2' },
      { title: 'deals 3' },
      { title: 'deals 4' },
    );
    await ok(news.post(`/items/${(await news.item('deals 1')).id}/star`));
    await news.label([(await news.item('deals 2')).id], { add: ['Own'] });
    const { id } = await news.item('deals 3');
    await ok(news.post(`/items/${id}/read`));
    await ok(news.post(`/items/${id}/unread`));
    const rule = { query: 'deals', actions: READ };

    const trial = await ok<{ matches: number; existing: number; examples: object[] }>(
      news.post('/rules/dry-run', { rule }),
    );
    expect(trial).toMatchObject({ matches: 4, existing: 1, examples: { length: 4 } });
    const saved = await addRule(rule);
    expect((await news.feed(feed.id)).unreadCount).toBe(5);
    expect(await apply(saved)).toBe(1);
    expect((await flagsOf('deals 4')).unread).toBe(false);
    expect(await undo(saved)).toBe(1);
    expect((await news.feed(feed.id)).unreadCount).toBe(5);
  });

  it('reaches all of a large account by steps, of which each goes on where the last one ended', async () => {
    const [source] = await app.database.query<{ id: number }>(
      'select source_id as id from subscription where id = $1',
      [feed.id],
    );
    const articles = Array.from({ length: LARGE_ACCOUNT }, (_, n) => ({
      guid: `${n}`,
      title: n % 1000 === 0 ? `kept ${n}` : `article ${n}`,
    }));
    await publishArticles(app, source?.id ?? 0, articles);
    await news.feedList();
    const rule = await addRule({ query: '-kept', actions: READ });
    const step = (before?: string) =>
      ok<{ changed: number; next: string | null }>(
        news.post(`/rules/${rule.id}/apply`, { before }),
      );

    const first = await step();
    expect(first.next).not.toBeNull();
    expect((await news.feed(feed.id)).unreadCount).toBe(LARGE_ACCOUNT + 1 - first.changed);
    let sum = first.changed;
    for (let { next } = first; next !== null;) {
      const some = await step(next);
      sum += some.changed;
      ({ next } = some);
    }

    const kept = Math.ceil(LARGE_ACCOUNT / 1000);
    expect(sum).toBe(LARGE_ACCOUNT + 1 - kept);
    expect((await news.feed(feed.id)).unreadCount).toBe(kept);
  });

  it('can be undone when some of the items are gone, and its labels go with it', async () => {
    const rule = await addRule({ query: 'deals', actions: READ });
    await arrive({ title: 'deals 1' }, { title: 'deals 2' }, { title: 'deals 3' });
    await news.items();
    await app.database.query('update source set largest_document = 0');
    await app.inside(RetentionService).cleanUp({ grace: 'none', keepReadItems: 1 });
    expect(titles(await news.items())).not.toContain('deals 1');

    expect(await undo(rule)).toBe(1);

    expect(await flagsOf('deals 3')).toEqual(UNTOUCHED);
    const labelling = await addRule({ query: '', actions: [{ type: 'label', names: ['New'] }] });
    await apply(labelling);
    await undo(labelling);
    await ok(news.delete(`/rules/${labelling.id}`));
    expect(await news.labels()).toEqual([]);
  });

  it('keeps an item from the clean-up if it retains it', async () => {
    await addRule({ query: 'keep', actions: [{ type: 'retain' }] });
    await arrive({ title: 'keep' }, { title: 'drop' });
    await news.items();
    await ok(news.post('/items/read', { newestItemId: 1_000_000 }));
    await app.database.query('update source set largest_document = 0');

    await app.inside(RetentionService).cleanUp({ grace: 'none', keepReadItems: 1 });

    expect(titles(await news.items())).toEqual(expect.arrayContaining(['keep']));
  });
});

describe('a dry run', () => {
  it('tells matches per day, parts of words, and texts that it reads', async () => {
    await arrive(
      { title: 'OpenBSD', body: 'x' },
      { title: 'bsd', body: 'x' },
      { title: 'c', body: 'about bsd' },
    );
    await news.items();

    const trial = await ok<{ days: { count: number }[]; partOfWord: number; cost: number }>(
      news.post('/rules/dry-run', { rule: { query: 'bsd', actions: READ } }),
    );

    expect(trial).toMatchObject({ matches: 2, partOfWord: 1, isComplete: true });
    expect(trial.days).toHaveLength(30);
    expect(trial.days.at(-1)?.count).toBe(2);
    expect(await rules()).toEqual([]);
  });

  it.each([
    [50, 1],
    [51, 0],
  ])('of a condition with %i words finds them as parts of words in %i', async (count, found) => {
    await arrive({ title: 'OpenBSD' });
    await news.items();
    const words = Array.from({ length: count - 1 }, (_, n) => `word${n} OR `).join('');

    const trial = await ok(
      // By the address any article may match.
      news.post('/rules/dry-run', {
        rule: { query: `${words}bsd OR inurl:/nowhere/`, actions: READ },
      }),
    );

    expect(trial).toMatchObject({ matches: 0, partOfWord: found, isComplete: true });
  });
});

describe('nobody is told', () => {
  const told = async () =>
    (
      await app.database.query(
        'select 1 from notice where reader_id = (select reader_id from reader_user where user_id = $1)',
        [user.credentials.userId],
      )
    ).length;
  beforeEach(async () => {
    await ok(
      news.post('/channels', { kind: 'webhook', form: 'ntfy', address: receiver.url('/t') }),
    );
    await addRule({ query: '', actions: [{ type: 'notify' }] });
  });

  it('of the first document of a subscription, old and changed articles, and what a rule marks', async () => {
    await addRule({ query: 'muted', actions: READ });
    const old = new Date(Date.now() - 49 * 3_600_000);
    await arrive(
      { title: 'old', pubDate: old },
      { title: 'muted' },
      { title: 'changing', guid: 'c' },
    );
    await news.items();
    expect(await told()).toBe(1);

    published = [{ title: 'changed', guid: 'c' }];
    await arrive();
    publisher.publish(
      '/second.xml',
      rss({ title: 'B', link: publisher.url('/'), items: [{ title: 'b' }] }),
    );
    await news.subscribe(publisher.url('/second.xml'));
    await news.items();

    expect(await told()).toBe(1);
  });
});

describe('the clock', () => {
  const run = async () =>
    app.inside(ClockRules).runFor(await readerOf(app, user.credentials.userId));
  const ageBy = async (hours: number) =>
    letTimePass(app, (await readerOf(app, user.credentials.userId)).id, hours * 3600);

  it('marks what is unread after a time, and nothing that was touched', async () => {
    const rule = await addRule({ query: '', actions: [{ type: 'readAfter', hours: 48 }] });
    await arrive({ title: 'kept' }, { title: 'left' });
    await ok(news.post(`/items/${(await news.item('kept')).id}/star`));
    await run();
    expect((await news.feed(feed.id)).unreadCount).toBe(3);

    await ageBy(49);
    await run();

    expect((await flagsOf('kept')).unread).toBe(true);
    expect((await news.feed(feed.id)).unreadCount).toBe(1);
    expect(await undo(rule)).toBe(2);
  });

  it('leaves the newest of each feed, and marks what is no longer listed', async () => {
    await addRule({ query: 'one', actions: [{ type: 'newest', count: 2 }] });
    await arrive({ title: 'one 1' }, { title: 'one 2' }, { title: 'one 3' }, { title: 'two' });
    await news.items();
    await run();
    expect((await flagsOf('one 1')).unread).toBe(false);
    expect((await news.feed(feed.id)).unreadCount).toBe(4);

    await addRule({ query: '', actions: [{ type: 'readWhenUnlisted' }] });
    published = [{ title: 'two' }];
    await arrive();
    await news.items();
    await run();
    expect((await news.feed(feed.id)).unreadCount).toBe(1);
  });

  it('has a minute in an hour for all rules, and goes on where it ended', async () => {
    const words = ['one', 'two', 'three'];
    for (const query of words) {
      await addRule({ query, actions: [{ type: 'readAfter', hours: 1 }] });
    }
    await arrive(...words.map((title) => ({ title })));
    await news.items();
    await ageBy(2);
    const unread = async () => (await news.feed(feed.id)).unreadCount;
    const [clock, trials] = [app.inside(ClockRules), app.inside(RuleTrials)];
    const carryOut = trials.carryOut.bind(trials);
    const slow = jest.spyOn(trials, 'carryOut').mockImplementation(async (...given) => {
      const marked = await carryOut(...given);
      clock.longestMs = 0;
      return marked;
    });
    try {
      for (const left of [3, 2, 1]) {
        clock.longestMs = 60_000;
        await run();
        expect(await unread()).toBe(left);
      }
    } finally {
      clock.longestMs = 60_000;
      slow.mockRestore();
    }
  });

  it('plans a run once an hour', async () => {
    await addRule({ query: '', actions: [{ type: 'newest', count: 1 }] });
    await arrive({ title: 'a' }, { title: 'b' });
    await news.items();
    await app.database.query("update rule set clock_ran_at = now() - interval '2 hours'");

    await Promise.all([app.inside(ClockRuns).plan(), app.inside(ClockRuns).plan()]);

    await until('the run', async () => (await news.feed(feed.id)).unreadCount === 1);
    expect((await flagsOf('b')).unread).toBe(true);
  });
});

describe('full text', () => {
  const fetchPages = () => app.inside(FullTextService).fetchDue(new AbortController().signal);
  beforeEach(() => {
    const text = `The secret. ${'A sentence of the whole article. '.repeat(40)}`;
    publisher.publish(
      '/page',
      `<html><body><article><h1>A</h1><p>${text}</p></article></body></html>`,
      {
        contentType: 'text/html',
      },
    );
  });

  it('is fetched for single items, and lets rules on the text match later', async () => {
    await addRule({ query: 'intitle:short', actions: [{ type: 'fulltext' }] });
    await addRule({ query: 'intext:secret', actions: [{ type: 'star' }, { type: 'read' }] });
    await arrive({ title: 'short', link: publisher.url('/page'), body: 'teaser' });
    expect(await flagsOf('short')).toEqual(UNTOUCHED);

    await fetchPages();

    expect((await news.item('short')).body).toContain('The secret');
    expect(await flagsOf('short')).toEqual({ ...UNTOUCHED, unread: false, starred: true });
  });

  it('is what rules of those see who have it, and of no other follower of the feed', async () => {
    const other = new NewsClient(await app.signIn(), 'v1-3');
    await other.subscribe(publisher.url(path));
    await other.items();
    await ok(news.call('PATCH', `/feeds/${feed.id}`, { json: { fullTextEnabled: true } }));
    for (const [name, client] of [
      ['whole', news],
      ['excerpt', other],
    ] as const) {
      const address = receiver.url(`/${name}${path}`);
      await ok(client.post('/channels', { kind: 'webhook', form: 'standard', address }));
      await addRule({ query: 'intext:secret', actions: [{ type: 'star' }] }, client);
      await addRule({ query: 'intext:secret', actions: [{ type: 'notify' }] }, client);
      await addRule({ query: '-intext:secret', actions: [{ type: 'retain' }] }, client);
    }
    await arrive({ title: 'long', link: publisher.url('/page'), body: 'teaser' });
    await Promise.all([news.items(), other.items()]);
    expect(await flagsOf('long')).toEqual(UNTOUCHED);
    const known = receiver.received.length;

    await fetchPages();

    expect((await receiver.next(known)).path).toBe(`/whole${path}`);
    expect(await flagsOf('long')).toEqual({ ...UNTOUCHED, starred: true });
    expect(await other.item('long')).toMatchObject({ body: 'teaser', starred: false });
    await fetchFeed();
    await Promise.all([news.items(), other.items()]);
    expect(receiver.received.slice(known).map((one) => one.path)).toEqual([`/whole${path}`]);
  });
});

describe('a feed that moves to another address', () => {
  it('stays the one that rules name, and their effects are not repeated', async () => {
    const named = await addRule({ query: 'feed:Feed deals', actions: [{ type: 'star' }] });
    const inScope = await addRule({
      query: 'deals',
      scope: { everything: false, feedIds: [feed.id] },
      actions: [{ type: 'label', names: ['Shop'] }],
    });
    await arrive({ title: 'deals one', guid: 'one' });
    await news.items();
    await undo(named);
    await ok(
      news.post('/channels', { kind: 'webhook', form: 'ntfy', address: receiver.url('/moved') }),
    );
    await addRule({ query: 'feed:Feed', actions: [{ type: 'notify' }] });
    const known = receiver.received.length;

    path = `/moved${path}`;
    await publish({ title: 'deals of former days', guid: 'former' });
    await ok(news.call('PATCH', `/feeds/${feed.id}`, { json: { url: publisher.url(path) } }));
    await fetchFeed();
    const [one, former] = [await flagsOf('deals one'), await flagsOf('deals of former days')];
    await arrive({ title: 'deals two', guid: 'two' });

    const shop = { ...UNTOUCHED, labels: ['Shop'] };
    expect(one).toEqual(shop);
    expect(former).toEqual({ ...shop, starred: true });
    expect(await flagsOf('deals two')).toEqual({ ...shop, starred: true });
    expect((await receiver.next(known)).json).toMatchObject({
      title: expect.stringContaining('deals two'),
    });
    expect(receiver.received).toHaveLength(known + 1);
    expect(await undo(inScope)).toBe(3);
    expect(await flagsOf('deals one')).toEqual(UNTOUCHED);
  });
});

describe('OPML', () => {
  const importOpml = (body: string, of = news) =>
    ok<{ imported: number; invalid: { title: string; reason: string }[] }>(
      of.call('POST', '/opml/import', { body, headers: { 'content-type': 'text/x-opml' } }),
    );

  it('takes our rules along', async () => {
    await addRule({
      query: 'feed:Feed "a & b"',
      scope: { everything: false, feedIds: [feed.id] },
      actions: [{ type: 'label', names: ['Shop'] }],
    });
    const file = (await news.get('/opml/export')).text;
    const other = new NewsClient(await app.signIn(), 'v1-3');

    expect((await importOpml(file, other)).invalid).toEqual([]);

    const [rule] = (await ok<{ rules: RuleJson[] }>(other.get('/rules'))).rules;
    expect(rule).toMatchObject({
      query: 'feed:Feed "a & b"',
      problem: null,
      actions: [{ type: 'label', names: ['Shop'] }],
    });
  });

  it('brings rules of FreshRSS, Miniflux and tt-rss, and says what it cannot take', async () => {
    const outline = (attributes: string) =>
      `<outline type="rss" text="Feed" xmlUrl="${publisher.url(path)}" ${attributes}/>`;
    const ttRss = JSON.stringify({
      title: 'no ads',
      match_any_rule: true,
      enabled: true,
      rules: [
        { reg_exp: '^ad:', filter_type: 1, match: [['Feed', false, false]] },
        { reg_exp: 'promo/x', filter_type: 4, inverse: true, match: [] },
      ],
      actions: [
        { action_id: 2, action_param: '' },
        { action_id: 6, action_param: '3' },
      ],
    });
    const file = `<opml version="2.0" xmlns:frss="https://freshrss.org/opml" xmlns:miniflux="https://miniflux.app/opml"><head/><body>
      ${outline('frss:filtersActionRead="intitle:deal -author:TT&#10;date:P3D f:12"')}
      ${outline(
        'miniflux:blockFilterEntryRules="EntryTitle=(?i)spam|ads&#10;EntryDate=max-age:30d" miniflux:keeplistRules="(?i)linux"',
      )
        .replace(path, `${path}?m`)
        .replace('"Feed"', '"Other"')}
      <outline text="tt-rss-filters"><outline filter-type="2"><![CDATA[${ttRss}]]></outline></outline>
      <outline text="bad" type="rss" xmlUrl="${publisher.url(`${path}?b`)}" miniflux:blockFilterEntryRules="EntryTitle=(?=a)b"/>
    </body></opml>`;

    const { invalid } = await importOpml(file);
    await importOpml(file);

    expect((await rules()).map(({ query }) => query)).toEqual([
      'intitle:/deal/i -author:/TT/i',
      'date:P3D f:12',
      'intitle:/spam|ads/i',
      'older_than:30d',
      '-(inurl:/linux/i OR intitle:/linux/i OR author:/linux/i OR category:/linux/i)',
      'intitle:/(?=a)b/',
      'intitle:/^ad:/i feed:Feed OR -inurl:/promo\\/x/i',
    ]);
    expect(invalid).toEqual([
      expect.objectContaining({ reason: '"f:12" of FreshRSS has no equivalent.' }),
      expect.objectContaining({ reason: expect.stringContaining('ook-around') }),
      expect.objectContaining({ title: 'no ads', reason: '1 of its actions have no equivalent.' }),
    ]);
    expect(await news.folders()).toEqual([]);
  });
});

describe('the command line', () => {
  it('lists the rules of a user, and tries one', async () => {
    const rule = await addRule({ query: 'first', actions: READ });
    const { userId } = user.credentials;
    const run = (...args: string[]) => {
      const program = new Command().exitOverride();
      registerRuleCommands(program, (work) => work(app.inside), {} as never);
      return printedBy(program, args);
    };

    expect(await run('rules:list', userId)).toContain('first');
    expect(await run('rules:dry-run', userId, String(rule.id))).toContain(
      '1 articles of the last 30 days match',
    );
  });
});
