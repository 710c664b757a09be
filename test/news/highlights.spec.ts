import { beforeEach, describe, expect, it } from '@jest/globals';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { rss, type RssItem } from '../support/feed-server.js';
import { NewsClient, ok, titles, type FeedJson, type ItemJson } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_LIMITS:
    'highlights-per-item=3 highlights-per-user=5 characters-per-highlight=40 characters-per-note=30',
  GATEFOLD_KEEP_READ_ITEMS: '1',
  GATEFOLD_READ_ITEMS_GRACE_DAYS: '0',
});

interface HighlightJson {
  readonly id: number;
  readonly itemId: number;
  readonly exact: string;
  readonly note: string | null;
  readonly colour: string;
}

let user: TestUser;
let news: NewsClient;
let stranger: NewsClient;
let feed: FeedJson;
let path: string;
let published: RssItem[];
let ids: readonly number[];
let specs = 0;

beforeEach(async () => {
  path = `/highlights-${(specs += 1)}.xml`;
  published = [];
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  stranger = new NewsClient(await app.signIn(), 'v1-3');
  publish('one', 'two', 'three');
  feed = await news.subscribe(publisher.url(path));
  ids = (await news.items({ oldestFirst: true })).map(({ id }) => id);
});

/** Adds articles to the top of the document. */
function publish(...names: readonly string[]): void {
  const items = names.map((title) => ({
    title,
    link: publisher.url(`/${title}`),
    body: `<p>The lamp of ${title} is lit at dusk.</p>`,
    pubDate: new Date('2026-03-01T12:00:00Z'),
  }));
  published = [...items.toReversed(), ...published];
  publisher.publish(path, rss({ title: 'Lamps', link: publisher.url('/'), items: published }));
}

const admin = () => new NewsClient(app.asAdmin(), 'v1-3');
const update = () => admin().update(user.credentials.userId, feed.id);
const cleanUp = () => admin().get('/cleanup/after-update');
const readAll = () => news.change('/items/read', { newestItemId: Number.MAX_SAFE_INTEGER });

const idOf = (n: number) => ids[n - 1] ?? 0;
const answerTo = (itemId: number, given: object, of = news) =>
  of.post(`/items/${itemId}/highlights`, given);
const highlight = async (itemId: number, given: object) =>
  (await ok<{ highlight: HighlightJson }>(answerTo(itemId, given))).highlight;
const ofItem = async (itemId: number) =>
  (await ok<{ highlights: HighlightJson[] }>(news.get(`/items/${itemId}/highlights`))).highlights;
const listed = async (query = {}, of = news) =>
  (await ok<{ highlights: HighlightJson[] }>(of.get('/highlights', query))).highlights;
const found = async (query: string) =>
  titles((await ok<{ items: ItemJson[] }>(news.get('/search', { query }))).items).toSorted();
const rows = () => app.database.query('select 1 from item_highlight');

describe('highlights', () => {
  it('are of an item, in the order of its text, and a note of the item comes first', async () => {
    const second = await highlight(idOf(1), {
      exact: 'is lit',
      prefix: 'The lamp of one ',
      suffix: ' at dusk.',
      position: 16,
      colour: 'green',
      note: ' when?\n',
    });
    const first = await highlight(idOf(1), { exact: 'The lamp', position: 0 });
    await highlight(idOf(1), { note: 'Read **again**' });

    expect(second).toEqual({
      id: expect.any(Number),
      itemId: idOf(1),
      exact: 'is lit',
      prefix: 'The lamp of one ',
      suffix: ' at dusk.',
      position: 16,
      colour: 'green',
      note: 'when?',
      createdAt: expect.any(Number),
      changedAt: expect.any(Number),
    });
    const note = { exact: '', note: 'Read **again**' };
    expect(await ofItem(idOf(1))).toMatchObject([note, first, second]);
    expect(await ofItem(idOf(2))).toEqual([]);
  });

  it('of the same words are one, which a repeated request changes', async () => {
    const { id } = await highlight(idOf(1), { exact: 'lamp', position: 4 });
    const again = await highlight(idOf(1), { exact: 'lamp', position: 4, colour: 'pink' });

    expect(again).toMatchObject({ id, colour: 'pink' });
    expect(await ofItem(idOf(1))).toHaveLength(1);
  });

  it('are changed and removed; a note that is null or empty is removed', async () => {
    const { id } = await highlight(idOf(1), { exact: 'lamp', note: 'which?' });

    await ok(news.put(`/highlights/${id}`, { colour: 'blue' }));
    expect(await ofItem(idOf(1))).toMatchObject([{ note: 'which?', colour: 'blue' }]);
    await ok(news.put(`/highlights/${id}`, { note: null }));
    expect(await ofItem(idOf(1))).toMatchObject([{ note: null, colour: 'blue' }]);
    await highlight(idOf(1), { note: 'a' });
    await highlight(idOf(1), { note: 'b' });
    expect(await ofItem(idOf(1))).toMatchObject([{ note: 'b' }, { id }]);
    const [own] = await ofItem(idOf(1));
    await ok(news.put(`/highlights/${own?.id}`, { note: ' ' }));
    expect(await ofItem(idOf(1))).toMatchObject([{ id }]);
    await ok(news.delete(`/highlights/${id}`));
    expect(await ofItem(idOf(1))).toEqual([]);
    expect((await news.delete(`/highlights/${id}`)).status).toBe(404);
  });

  it('change no stamp of an item, and are in no list of clients', async () => {
    const before = await news.items();
    const cursor = await app.nowMicros();
    await highlight(idOf(1), { exact: 'lamp' });

    expect(await news.changedItems(cursor)).toEqual([]);
    expect(await news.items()).toEqual(before);
  });

  it('keep every character but the null character, which databases lack', async () => {
    const exact = '</mark><script>x()</script> 東京 😀\u2028"\\';
    const { note } = await highlight(idOf(1), { exact, note: 'a\0b\ud800' });

    expect(note).toBe('ab\ufffd');
    expect((await listed())[0]?.exact).toBe(exact);
  });

  it.each([
    ['neither words nor a note', { exact: ' ', note: ' ' }],
    ['nothing', {}],
    ['an unknown colour', { exact: 'lamp', colour: 'red' }],
    ['a note that is no text', { exact: 'lamp', note: {} }],
  ])('with %s are refused', async (_what, given) => {
    expect((await answerTo(idOf(1), given)).status).toBe(422);
    expect(await listed()).toEqual([]);
  });

  it('have bounds: per item, per user, and of their lengths', async () => {
    const words = (count: number) => 'x'.repeat(count);
    expect((await answerTo(idOf(1), { exact: words(41) })).json).toEqual({
      message: 'This installation allows at most 40 characters per highlight. Remove some first.',
    });
    expect((await answerTo(idOf(1), { exact: 'a', note: words(31) })).status).toBe(422);
    expect((await answerTo(idOf(1), { note: words(31) })).status).toBe(422);
    for (const exact of [words(40), 'b', 'c']) {
      await highlight(idOf(1), { exact, note: words(30) });
    }

    expect((await answerTo(idOf(1), { exact: 'd' })).status).toBe(422);
    expect((await answerTo(idOf(1), { note: 'd' })).status).toBe(422);
    const last = await highlight(idOf(2), { exact: 'a' });
    await highlight(idOf(3), { note: 'a' });
    expect((await answerTo(idOf(2), { exact: 'b' })).json).toEqual({
      message: 'This installation allows at most 5 highlights per user. Remove some first.',
    });
    expect((await news.put(`/highlights/${last.id}`, { note: words(31) })).status).toBe(422);
    expect(await listed()).toHaveLength(5);
  });
});

describe('a stranger', () => {
  it('finds no highlights of another user', async () => {
    const { id } = await highlight(idOf(1), { exact: 'lamp', note: 'mine' });
    const itemPath = `/items/${idOf(1)}`;

    const answers = await Promise.all([
      stranger.get(`${itemPath}/highlights`),
      answerTo(idOf(1), { exact: 'lamp' }, stranger),
      stranger.put(`/highlights/${id}`, { note: 'x' }),
      stranger.delete(`/highlights/${id}`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(await listed({}, stranger)).toEqual([]);
    expect((await stranger.get('/highlights', { format: 'markdown' })).text).toBe('# Highlights\n');
    expect(await ofItem(idOf(1))).toMatchObject([{ exact: 'lamp', note: 'mine' }]);
  });

  it('without credentials is refused', async () => {
    const nobody = new NewsClient({ baseUrl: user.baseUrl }, 'v1-3');
    const answers = await Promise.all([
      nobody.get('/highlights'),
      nobody.get(`/items/${idOf(1)}/highlights`),
      answerTo(idOf(1), { exact: 'lamp' }, nobody),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  });
});

describe('an item with highlights', () => {
  it('is kept by the clean-up until the last of them is removed', async () => {
    const { id } = await highlight(idOf(1), { exact: 'lamp' });
    const note = await highlight(idOf(1), { note: 'keep' });
    publish('four', 'five');
    await update();
    publisher.publish(path, rss({ title: 'Lamps', items: [] }));
    await news.items();
    await readAll();
    await app.database.query('update source set largest_document = 1');

    await cleanUp();
    expect(titles(await news.items())).toEqual(['five', 'one']);
    await ok(news.delete(`/highlights/${id}`));
    await cleanUp();
    expect(titles(await news.items())).toEqual(['five', 'one']);

    await ok(news.delete(`/highlights/${note.id}`));
    await cleanUp();
    expect(titles(await news.items())).toEqual(['five']);
  });

  it('is marked by no rule', async () => {
    await highlight(idOf(1), { exact: 'lamp' });
    const { rules } = await ok<{ rules: { id: number }[] }>(
      news.post('/rules', { query: 'lamp', actions: [{ type: 'read' }] }),
    );
    await ok(news.post(`/rules/${rules[0]?.id}/apply`));

    const unread = (await news.items()).filter((item) => item.unread);
    expect(titles(unread)).toEqual(['one']);
  });

  it('is found by is:highlighted, with other conditions, also within searches that are saved', async () => {
    await highlight(idOf(1), { exact: 'lamp' });
    await highlight(idOf(3), { note: 'x' });
    await ok(news.post(`/items/${idOf(3)}/read`));

    expect(await found('is:highlighted')).toEqual(['one', 'three']);
    expect(await found('is:highlighted is:unread lamp')).toEqual(['one']);
    expect(await found('-is:highlighted')).toEqual(['two']);
    expect(await found('is:highlighted or two')).toEqual(['one', 'three', 'two']);
    const { searches } = await ok<{ searches: object[] }>(
      news.post('/searches', { name: 'Marked', query: 'is:highlighted' }),
    );
    expect(searches).toMatchObject([
      { query: 'is:highlighted', words: 'you highlighted something in it', unreadCount: 1 },
    ]);
    expect((await news.post('/rules', { query: 'is:highlighted', actions: [] })).status).toBe(422);
  });

  it('that goes with its feed takes them along, and undoing that brings them back', async () => {
    const { id } = await highlight(idOf(1), { exact: 'lamp' });
    await ok(news.call('DELETE', `/feeds/${feed.id}`, { query: { undoable: true } }));

    expect(await listed()).toEqual([]);
    expect((await news.get(`/items/${idOf(1)}/highlights`)).status).toBe(404);
    expect((await news.put(`/highlights/${id}`, { note: 'x' })).status).toBe(404);
    await ok(news.post(`/feeds/${feed.id}/restore`));
    expect(await listed()).toMatchObject([{ id }]);
  });
});

describe('all highlights', () => {
  beforeEach(async () => {
    await highlight(idOf(1), { exact: 'is lit', position: 16, note: 'When?\n\n- at *dusk*' });
    await highlight(idOf(2), { exact: 'The <b>lamp</b>\n# of *two*', position: 0 });
    await highlight(idOf(1), { exact: 'lamp', position: 4 });
    await highlight(idOf(1), { note: 'Compare [two](x)' });
  });

  it('are listed newest first, in pages, with their article and feed', async () => {
    const all = await listed();
    expect(all.map(({ itemId, exact }) => [itemId, exact])).toEqual([
      [idOf(1), ''],
      [idOf(1), 'lamp'],
      [idOf(2), 'The <b>lamp</b>\n# of *two*'],
      [idOf(1), 'is lit'],
    ]);
    expect(all[0]).toMatchObject({
      feedId: feed.id,
      feedTitle: 'Lamps',
      title: 'one',
      url: publisher.url('/one'),
      author: null,
      pubDate: 1_772_366_400,
      note: 'Compare [two](x)',
    });
    const first = await listed({ batchSize: '3' });
    const second = await listed({ batchSize: '3', offset: String(first.at(-1)?.id) });
    expect([...first, ...second]).toEqual(all);
    expect([first.length, second.length]).toEqual([3, 1]);
  });

  it('are a Markdown document by article, in which quotations are no markup', async () => {
    const document = [
      '# Highlights',
      '',
      `## [two](<${publisher.url('/two')}>)`,
      '',
      'Lamps · 2026-03-01',
      '',
      String.raw`> The \<b\>lamp\</b\>`,
      String.raw`> \# of \*two\*`,
      '',
      `## [one](<${publisher.url('/one')}>)`,
      '',
      'Lamps · 2026-03-01',
      '',
      'Compare [two](x)',
      '',
      '> lamp',
      '',
      '> is lit',
      '',
      'When?',
      '',
      '- at *dusk*',
      '',
    ].join('\n');

    const asked = await news.get('/highlights', { format: 'markdown' });
    expect(asked.text).toBe(document);
    expect(asked.headers['content-type']).toBe('text/markdown; charset=utf-8');
    const negotiated = await news.call('GET', '/highlights', {
      headers: { Accept: 'text/markdown' },
    });
    expect(negotiated.text).toBe(document);
  });

  it('go with the account, and those of removed items after a while', async () => {
    const before = (await rows()).length;
    await ok(news.delete(`/highlights/${(await listed())[0]?.id}`));
    await app.inside(UsersService).delete(user.credentials.userId);

    expect((await rows()).length).toBe(before - 4);
  });
});
