import { beforeEach, describe, expect, it } from '@jest/globals';
import { Config } from '../../src/common/config/config.js';
import { rss, type RssItem } from '../support/feed-server.js';
import { Groups } from '../support/group-folders.js';
import { NewsClient, ok, type ItemJson } from '../support/news-client.js';
import { withOtherSettings } from '../support/other-settings.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';

/*
 * Rules of groups' folders: what they do to the articles of members, before the members' own.
 */

const { app, publisher } = await serviceAndPublisher();
const groups = new Groups(app);
const editing = groups.news;

interface RuleJson {
  readonly id: number;
  readonly name: string;
  readonly query: string;
  readonly actions: readonly object[];
  readonly order: number;
  readonly group: string | null;
  readonly problem: string | null;
  readonly matches30d: number;
}

let ada: TestUser;
let news: NewsClient;
let userId: string;
let group: string;
let folder: number;
let specs = 0;
let published: Record<string, RssItem[]>;

beforeEach(async () => {
  specs += 1;
  published = {};
  ada = await app.signIn();
  ({ userId } = ada.credentials);
  news = new NewsClient(ada, 'v1-3');
  [group, folder] = await aGroup('Press', 'tides');
});

const urlOf = (name: string) => publisher.url(`/${specs}-${name}`);

function publish(name: string, ...titles: string[]): void {
  const items = titles.map((title) => ({ title, guid: title, body: `about ${title}` }));
  published[name] = [...items, ...(published[name] ?? [])];
  publisher.publish(`/${specs}-${name}`, rss({ title: name, items: published[name] }));
}

/** A group with a folder of its name that has a feed, and the user as a member. */
async function aGroup(name: string, feed: string): Promise<[string, number]> {
  const id = `${name.toLowerCase()}-${specs}`;
  await groups.create(id, name);
  const created = await groups.createFolder(id, name);
  publish(feed, `first of ${feed}`);
  await groups.add(created, urlOf(feed));
  await groups.enter(id, userId);
  return [id, created];
}

const addRule = async (rule: object, to = folder) =>
  (await ok<{ id: number }>(editing.post(`/group-folders/${to}/rules`, rule))).id;
const rulesOf = async (id = folder, as = editing) =>
  (await ok<{ rules: RuleJson[] }>(as.get(`/group-folders/${id}/rules`))).rules;
const ownRules = async (of = news) => (await ok<{ rules: RuleJson[] }>(of.get('/rules'))).rules;
const addOwnRule = async (rule: object) =>
  (await ok<{ rules: RuleJson[] }>(news.post('/rules', rule))).rules[0] as RuleJson;

/** Publishes and fetches articles; the next request of the member delivers them. */
async function arrive(name: string, ...titles: string[]): Promise<void> {
  const { feeds } = await news.feedList();
  publish(name, ...titles);
  const feed = feeds.find(({ url }) => url === urlOf(name));
  await editing.update(userId, feed?.id ?? 0);
}

async function flagsOf(title: string, of = news) {
  const { unread, filtered, labels } = (await of.item(title)) as ItemJson & { filtered: boolean };
  return { unread, filtered, labels: labels ?? [] };
}
const untouched = { unread: true, filtered: false, labels: [] };

describe('rules of a group', () => {
  it('read, hide and label what arrives in the feeds of its folder, and nothing else', async () => {
    publish('own', 'first of own');
    await news.subscribe(urlOf('own'));
    await addRule({ query: 'sport', actions: [{ type: 'read' }] });
    await addRule({ query: 'stars', actions: [{ type: 'hide' }] });
    await addRule({
      name: 'Ours',
      query: 'merger',
      actions: [{ type: 'label', names: ['Urgent'] }],
    });

    await arrive('tides', 'sport', 'stars', 'merger', 'weather');
    await arrive('own', 'other sport', 'other merger');

    expect(await flagsOf('sport')).toEqual({ ...untouched, unread: false });
    expect(await flagsOf('stars')).toEqual({ ...untouched, unread: false, filtered: true });
    expect(await flagsOf('merger')).toEqual({ ...untouched, labels: ['Urgent'] });
    for (const title of ['weather', 'other sport', 'other merger', 'first of tides']) {
      expect(await flagsOf(title)).toEqual(untouched);
    }
  });

  it('notify each member as a rule of their own does', async () => {
    await addRule({ query: 'merger', actions: [{ type: 'notify' }] });
    await arrive('tides', 'merger', 'weather');
    await news.items();

    const early = () =>
      app.database.query('select tells from early_reader where user_id = $1', [userId]);
    const effects = await ok<{ effects: object[] }>(
      news.get(`/rules/${(await ownRules())[0]?.id}/effects`),
    );
    expect(effects.effects).toMatchObject([{ effect: 'tell', title: 'merger' }]);
    expect(await early()).toEqual([{ tells: true }]);
    await groups.leave(group, userId);
    await news.folders();
    expect(await early()).toEqual([]);
  });

  it('come before those of the member, which see the labels that they set', async () => {
    await addRule({ query: 'merger', actions: [{ type: 'label', names: ['Urgent'] }] });
    await news.folders();
    await addOwnRule({ query: 'label:Urgent', actions: [{ type: 'read' }], stopAfter: true });
    await addRule({ query: 'merger', actions: [{ type: 'label', names: ['Second'] }] });

    await arrive('tides', 'merger');

    expect(await flagsOf('merger')).toEqual({
      unread: false,
      filtered: false,
      labels: ['Second', 'Urgent'],
    });
    expect((await ownRules()).map(({ group: of, query }) => [of, query])).toEqual([
      ['Press', 'merger'],
      ['Press', 'merger'],
      [null, 'label:Urgent'],
    ]);
  });

  it('say what they did, by the group, and the member can undo that but not change them', async () => {
    const id = await addRule({ name: 'Ours', query: 'sport', actions: [{ type: 'read' }] });
    await arrive('tides', 'sport');
    await news.items();
    const own = await addOwnRule({ query: 'chess', actions: [{ type: 'star' }] });

    expect(await ownRules()).toMatchObject([
      { id, name: 'Ours', group: 'Press', matches30d: 1, problem: null },
      { id: own.id, group: null },
    ]);
    const { effects } = await ok<{ effects: object[] }>(news.get(`/rules/${id}/effects`));
    expect(effects).toMatchObject([{ effect: 'read', title: 'sport', undoneAt: null }]);
    for (const refused of [
      await news.put(`/rules/${id}`, { enabled: false }),
      await news.delete(`/rules/${id}`),
    ]) {
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining('This rule is that of the group'),
      ]);
    }
    await ok(news.post('/rules/order', { ruleIds: [own.id, id] }));
    expect((await ownRules()).map((rule) => rule.id)).toEqual([id, own.id]);
    await ok(news.post(`/rules/${id}/undo`));
    expect(await flagsOf('sport')).toEqual(untouched);
    const { rules } = (await ok(news.get('/rules/export'))) as { rules: RuleJson[] };
    expect(rules.map((rule) => rule.id)).toEqual([own.id]);
  });

  it('change and end for members with the next synchronisation; what they did stays', async () => {
    const id = await addRule({ query: 'sport', actions: [{ type: 'read' }] });
    await addRule({ query: 'merger', actions: [{ type: 'label', names: ['Urgent'] }] });
    await arrive('tides', 'sport', 'merger');
    await news.items();

    const chess = { query: 'chess', actions: [{ type: 'hide' }] };
    await ok(editing.put(`/group-folders/${folder}/rules/${id}`, chess));
    await arrive('tides', 'more sport', 'chess');
    expect(await flagsOf('more sport')).toEqual(untouched);
    expect(await flagsOf('chess')).toMatchObject({ filtered: true });
    await ok(editing.delete(`/group-folders/${folder}/rules/${id}`));
    await arrive('tides', 'more chess');
    expect(await flagsOf('more chess')).toEqual(untouched);
    await groups.leave(group, userId);

    expect(await flagsOf('merger')).toMatchObject({ labels: ['Urgent'] });
    expect(await ownRules()).toEqual([]);
    await groups.enter(group, userId);
    expect(await flagsOf('sport')).toMatchObject({ unread: false });
    expect(await ownRules()).toMatchObject([{ query: 'merger', matches30d: 1 }]);
  });

  it('leave a label that a rule of the member names, and take along one that nothing needs', async () => {
    await addRule({ query: 'merger', actions: [{ type: 'label', names: ['Urgent', 'Rare'] }] });
    await news.folders();
    await addOwnRule({ query: 'label:Urgent', actions: [{ type: 'read' }] });
    await groups.leave(group, userId);
    await news.folders();

    expect(await ownRules()).toMatchObject([{ query: 'label:Urgent', problem: null }]);
    expect((await news.labels()).map(({ name }) => name)).toEqual(['Urgent']);
  });

  it('of two groups are both asked of a feed that both give, in the order of the folders', async () => {
    const [, other] = await aGroup('Board', 'waves');
    await groups.add(other, urlOf('tides'));
    await addRule({ query: 'sport', actions: [{ type: 'label', names: ['Board'] }] }, other);
    await addRule({ query: 'sport', actions: [{ type: 'label', names: ['Press'] }] });
    await addRule({ query: 'chess', actions: [{ type: 'read' }] });

    await arrive('tides', 'sport');
    await arrive('waves', 'sport of waves', 'chess of waves');

    expect(await flagsOf('sport')).toMatchObject({ labels: ['Board', 'Press'] });
    expect(await flagsOf('sport of waves')).toMatchObject({ labels: ['Board'] });
    expect(await flagsOf('chess of waves')).toEqual(untouched);
    expect((await ownRules()).map((rule) => rule.group)).toEqual(['Press', 'Press', 'Board']);
  });

  it('leave people outside of the group alone, who follow the same feed', async () => {
    const stranger = new NewsClient(await app.signIn(), 'v1-3');
    await stranger.subscribe(urlOf('tides'));
    await stranger.items();
    await addRule({ query: 'sport', actions: [{ type: 'hide' }] });

    await arrive('tides', 'sport');

    expect(await flagsOf('sport')).toMatchObject({ filtered: true });
    expect(await flagsOf('sport', stranger)).toEqual(untouched);
    expect(await ownRules(stranger)).toEqual([]);
  });
});

describe('the rules of a folder of a group', () => {
  const rule = { name: 'Sport', query: 'sport', actions: [{ type: 'read' }] };

  it('are changed by administrators and the editors of the folder, and by nobody else', async () => {
    await ok(editing.put(`/admin/group-folders/${folder}/editors`, { editors: [userId] }));
    const { id } = await ok<{ id: number }>(news.post(`/group-folders/${folder}/rules`, rule));
    expect(await rulesOf(folder, news)).toEqual([{ id, ...rule }]);
    const [, other] = await aGroup('Board', 'waves');
    const foreign = await addRule(rule, other);

    const member = await app.signIn();
    await groups.enter(group, member.credentials.userId);
    for (const [who, path] of [
      [new NewsClient(member, 'v1-3'), `/group-folders/${folder}/rules`],
      [new NewsClient(await app.signIn(), 'v1-3'), `/group-folders/${folder}/rules`],
      [news, `/group-folders/${other}/rules`],
    ] as const) {
      expect((await who.get(path)).status).toBe(404);
      expect((await who.post(path, rule)).status).toBe(404);
      expect((await who.put(`${path}/${id}`, rule)).status).toBe(404);
      expect((await who.delete(`${path}/${id}`)).status).toBe(404);
    }
    // A rule of another folder, by way of one's own.
    expect((await news.put(`/group-folders/${folder}/rules/${foreign}`, rule)).status).toBe(404);
    expect((await news.delete(`/group-folders/${folder}/rules/${foreign}`)).status).toBe(404);
    const path = `/index.php/apps/news/api/v1-3/group-folders/${folder}/rules`;
    expect((await app.asStranger().get(path)).status).toBe(401);
    expect(await rulesOf(other)).toHaveLength(1);
  });

  it.each([
    ['names a label of one person', { query: 'label:Urgent', actions: [{ type: 'read' }] }],
    ['names a folder of one person', { query: 'folder:Sea', actions: [{ type: 'read' }] }],
    ['does nothing', { query: 'sport', actions: [] }],
    ['cannot be read', { query: '(sport', actions: [{ type: 'read' }] }],
    ['marks and tells', { query: 'x', actions: [{ type: 'read' }, { type: 'notify' }] }],
    ['is for the clock', { query: 'x', actions: [{ type: 'readAfter', hours: 3 }] }],
    ['has a label without a name', { query: 'x', actions: [{ type: 'label', names: [' '] }] }],
  ])('are refused when one %s', async (_what, refused) => {
    const { status } = await editing.post(`/group-folders/${folder}/rules`, refused);
    expect([400, 422]).toContain(status);
    expect(await rulesOf()).toEqual([]);
  });

  it('are bounded in number, and do not count against the limit of a member', async () => {
    const limits = {
      ...app.inside(Config).limits,
      'rules-per-group-folder': 1,
      'rules-per-user': 1,
    };
    await withOtherSettings(app.inside(Config), { limits }, async () => {
      await addRule(rule);
      expect((await editing.post(`/group-folders/${folder}/rules`, rule)).status).toBe(422);
      await news.folders();
      await addOwnRule({ query: 'chess', actions: [{ type: 'star' }] });
    });
    expect(await ownRules()).toHaveLength(2);
  });
});
