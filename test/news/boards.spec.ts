import { beforeEach, describe, expect, it } from '@jest/globals';
import { ArticlesRepository } from '../../src/news/sources/articles/articles.repository.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { readArchive, takeEverything } from '../support/account-archive.js';
import { ApiClient } from '../support/api-client.js';
import { rss } from '../support/feed-server.js';
import { feverClientOf } from '../support/fever-client.js';
import { GoogleReaderClient } from '../support/google-reader-client.js';
import { Groups } from '../support/group-folders.js';
import { LEVELS, NewsClient, ok, titles } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';

/*
 * Boards of groups: what members add, who sees it, who takes it away, and what stays when they leave.
 */

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_FEEDS_OUT: 'everyone',
  GATEFOLD_LIMITS:
    'boards-per-group=2 entries-per-board=3 entries-per-board-and-day=5 people-per-board-entry=2',
});
const groups = new Groups(app);
let ada: NewsClient;
let ben: NewsClient;
let adas: TestUser;
let bens: TestUser;
let stranger: NewsClient;
let group: string;
let folder: number;
let board: number;
let specs = 0;

interface EntryJson {
  readonly id: number;
  readonly title: string | null;
  readonly url: string | null;
  readonly added: readonly { readonly userId: string | null; readonly note: string }[];
}

beforeEach(async () => {
  specs += 1;
  [adas, bens] = [await app.signIn(), await app.signIn()];
  [ada, ben] = [new NewsClient(adas, 'v1-3'), new NewsClient(bens, 'v1-3')];
  stranger = new NewsClient(await app.signIn(), 'v1-3');
  group = `editors-${specs}`;
  await groups.create(group, `Editors ${specs}`);
  folder = await groups.createFolder(group, 'Desk');
  board = await groups.createBoard(folder);
  await groups.enter(group, adas.credentials.userId);
  await groups.enter(group, bens.credentials.userId);
});

/** Makes the client follow a feed with one article. @returns the item's id */
async function read(client: NewsClient, title: string, path = `/${specs}/${title}`) {
  const link = publisher.url(`${path}.html`);
  const items = [{ title, guid: title, link, body: `<p>About ${title} &amp; more</p>` }];
  publisher.publish(path, rss({ title: `feed of ${title}`, items }));
  const feed = await client.subscribe(publisher.url(path));
  const list = await client.items();
  return list.find((item) => item.feedId === feed.id)?.id ?? 0;
}

const post = (client: NewsClient, itemId: number, note = '') =>
  client.post(`/boards/${board}/entries`, { itemId, note });
const add = async (client: NewsClient, itemId: number, note = '') =>
  (await ok<{ entry: EntryJson }>(post(client, itemId, note))).entry;
const entriesOf = async (client: NewsClient) =>
  (await ok<{ entries: EntryJson[] }>(client.get(`/boards/${board}/entries`))).entries;
const onBoard = async (client: NewsClient) => {
  const { feeds } = await client.feedList();
  const feed = feeds.find(({ title }) => title === 'Worth reading');
  return (await client.items()).filter(({ feedId }) => feedId === feed?.id);
};
/** Runs a request while articles cannot be written. */
const withoutArticles = async <Answer>(request: () => Promise<Answer>) => {
  const articles = app.inside(ArticlesRepository);
  articles.addGiven = () => Promise.reject(new Error('Articles cannot be written.'));
  try {
    return await request();
  } finally {
    Reflect.deleteProperty(articles, 'addGiven');
  }
};
const today = () => new Date().toISOString().slice(0, 10);
const nameOf = async ({ credentials }: TestUser) =>
  (await app.inside(UsersService).find(credentials.userId))?.displayName ?? '';

describe('an article on a board', () => {
  it.each(LEVELS)(
    'is in the feed of every member at %s, with who added it and why',
    async (level) => {
      const entry = await add(ada, await read(ada, 'tides'), 'for <Monday>');

      const client = new NewsClient(bens, level);
      const { feeds } = await client.feedList();
      const [desk] = await client.folders();
      expect(feeds).toMatchObject([{ title: 'Worth reading', folderId: desk?.id, unreadCount: 1 }]);
      const [item] = await client.items();
      expect(item).toMatchObject({ title: 'tides', url: publisher.url(`/${specs}/tides.html`) });
      expect(item?.body).toBe(
        `<blockquote><p>${await nameOf(adas)}, ${today()}: for &lt;Monday&gt;</p></blockquote><p>About tides &amp; more</p>`,
      );
      expect(await entriesOf(ben)).toEqual([entry]);
      expect(entry.added).toMatchObject([
        { userId: adas.credentials.userId, note: 'for <Monday>' },
      ]);
    },
  );

  it('is in Google Reader and Fever like everything else', async () => {
    await add(ada, await read(ada, 'tides'), 'for Monday');

    const reader = await GoogleReaderClient.of(bens);
    const { subscriptions } = (await reader.get('subscription/list')).json as {
      subscriptions: { title: string; categories: { label: string }[] }[];
    };
    expect(subscriptions).toMatchObject([
      { title: 'Worth reading', categories: [{ label: 'Desk' }] },
    ]);
    const stream = await reader.get('stream/contents/user/-/label/Desk');
    expect(JSON.stringify(stream.json)).toContain('for Monday');
    const fever = await feverClientOf(app, bens);
    const { items } = await fever.ask('items');
    expect(items.map(({ title }) => title)).toEqual(['tides']);
    expect(items[0]?.html).toContain('for Monday');
  });

  it('is there once, with all who have added it, from their own feeds or from the board', async () => {
    const first = await add(ada, await read(ada, 'tides', `/${specs}/one`), 'for Monday');
    const path = `/${specs}/two`;
    const link = publisher.url(`/${specs}/one.html`);
    publisher.publish(path, rss({ title: 'two', items: [{ title: 'Tides again', link }] }));
    const { id: feedId } = await ben.subscribe(publisher.url(path));
    const other = (await ben.items()).find((item) => item.feedId === feedId);

    const second = await add(ben, other?.id ?? 0, 'also tides');
    const [item] = await onBoard(ada);
    const third = await add(ada, item?.id ?? 0, 'for Tuesday');

    expect([second.id, third.id]).toEqual([first.id, first.id]);
    expect((await entriesOf(ada))[0]?.added.map(({ note }) => note)).toEqual([
      'for Tuesday',
      'also tides',
    ]);
    const shown = await onBoard(ben);
    expect(shown).toHaveLength(1);
    expect(shown[0]?.body?.match(/<blockquote>/g)).toHaveLength(1);
    expect(shown[0]?.body).toContain(': for Tuesday</p>');
    expect(shown[0]?.body).toContain(': also tides</p>');
    expect(shown[0]?.body).not.toContain('for Monday');
  });

  it('has both when two add it at once', async () => {
    const path = `/${specs}/tides`;
    const [one, two] = [await read(ada, 'tides', path), await read(ben, 'tides', path)];

    await Promise.all([add(ada, one, 'from Ada'), add(ben, two, 'from Ben')]);

    const [item, ...more] = await onBoard(ada);
    expect(more).toEqual([]);
    expect(item?.body).toContain('from Ada');
    expect(item?.body).toContain('from Ben');
  });

  it('is none of a feed with credentials, nor one that was added by hand', async () => {
    const items = [{ title: 'secret', link: publisher.url('/secret.html') }];
    publisher.publish(`/${specs}/feed?key=1`, rss({ title: 'secret', items }));
    const { id } = await ada.subscribe(publisher.url(`/${specs}/feed?key=1`));
    const added = { title: 'mine', url: 'https://a.example/mine', body: 'x' };
    await ok(ada.post('/items', added));
    const list = await ada.items();
    const refused = list.filter((item) => item.feedId === id || item.title === 'mine');
    expect(refused).toHaveLength(2);

    for (const item of refused) {
      const answer = await post(ada, item.id);
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('cannot be added to a board');
    }
    expect(await entriesOf(ada)).toEqual([]);
  });
});

describe('removing', () => {
  it('is for who added it: the entry goes with the last one', async () => {
    const path = `/${specs}/tides`;
    const entry = await add(ada, await read(ada, 'tides', path), 'from Ada');
    const remove = (client: NewsClient) => client.delete(`/boards/${board}/entries/${entry.id}`);
    const byOthers = await remove(ben);
    expect(byOthers.status).toBe(403);
    expect(byOthers.text).toContain('Only who added it');
    await add(ben, await read(ben, 'tides', path), 'from Ben');

    await ok(remove(ada));

    const [item] = await onBoard(ben);
    expect(item?.body).toContain('from Ben');
    expect(item?.body).not.toContain('from Ada');
    expect(item?.body).toContain('About tides');
    await ok(remove(ben));
    expect(await entriesOf(ben)).toEqual([]);
    const [gone] = await onBoard(ada);
    expect(gone).toMatchObject({ title: 'Removed from the board', url: null });
    expect(gone?.body ?? '').toBe('');
  });

  it('is for the editors of the folder and for administrators', async () => {
    const one = await add(ada, await read(ada, 'tides'));
    const two = await add(ada, await read(ada, 'storms'));
    const editors = { editors: [bens.credentials.userId] };
    await ok(groups.news.put(`/admin/group-folders/${folder}/editors`, editors));

    await ok(ben.delete(`/boards/${board}/entries/${one.id}`));
    await ok(groups.news.delete(`/boards/${board}/entries/${two.id}`));

    expect(await entriesOf(ada)).toEqual([]);
    expect(titles(await ada.items())).toContain('tides');
  });

  it('that was interrupted is ended by repeating it, which is refused', async () => {
    const path = `/${specs}/tides`;
    const entry = await add(ada, await read(ada, 'tides', path), 'from Ada');
    await add(ben, await read(ben, 'tides', path), 'from Ben');
    const remove = (client: NewsClient) => client.delete(`/boards/${board}/entries/${entry.id}`);

    expect((await withoutArticles(() => remove(ada))).status).toBe(500);
    expect((await onBoard(ben))[0]?.body).toContain('from Ada');
    expect((await remove(ada)).status).toBe(403);
    expect((await onBoard(ben))[0]?.body).not.toContain('from Ada');

    expect((await withoutArticles(() => remove(ben))).status).toBe(500);
    expect(titles(await onBoard(ada))).toEqual(['tides']);
    expect((await remove(ben)).status).toBe(404);
    const gone = await onBoard(ada);
    expect(gone).toMatchObject([{ title: 'Removed from the board', url: null }]);
    expect((await remove(ben)).status).toBe(404);
    expect(await onBoard(ada)).toEqual(gone);
  });

  it('what was added without its article brings nobody a new one', async () => {
    const item = await read(ada, 'tides');
    expect((await withoutArticles(() => post(ada, item))).status).toBe(500);
    const [entry] = await entriesOf(ada);

    await ok(ada.delete(`/boards/${board}/entries/${entry?.id}`));

    expect(await entriesOf(ada)).toEqual([]);
    expect(await onBoard(ben)).toEqual([]);
  });

  it('of a board is for editors and administrators, and members lose it', async () => {
    await add(ada, await read(ada, 'tides'));
    expect(await onBoard(ben)).toHaveLength(1);
    expect((await ben.delete(`/boards/${board}`)).status).toBe(404);

    await ok(groups.news.delete(`/boards/${board}`));

    expect((await ben.feedList()).feeds).toEqual([]);
    expect((await post(ada, 1)).status).toBe(404);
  });
});

describe('others', () => {
  it('who are strangers, in another group, or have left, neither see it nor add to it', async () => {
    const entry = await add(ada, await read(ada, 'tides'));
    expect(await onBoard(ben)).toHaveLength(1);
    const other = `others-${specs}`;
    await groups.create(other, other);
    const otherUser = await app.signIn();
    await groups.enter(other, otherUser.credentials.userId);
    await groups.leave(group, bens.credentials.userId);

    for (const client of [stranger, new NewsClient(otherUser, 'v1-3'), ben]) {
      const item = await read(client, 'storms');
      const answers = [
        await client.get(`/boards/${board}/entries`),
        await post(client, item),
        await client.delete(`/boards/${board}/entries/${entry.id}`),
        await client.delete(`/boards/${board}`),
        await client.post('/boards', { groupFolderId: folder, name: 'Mine' }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
      expect(await ok(client.get('/boards'))).toEqual({ boards: [] });
      expect(titles(await client.items())).toEqual(['storms']);
    }
    const nobody = new NewsClient(new ApiClient(app.url), 'v1-3');
    expect((await nobody.get('/boards')).status).toBe(401);
    expect((await post(ada, 0)).status).toBe(404);
    expect(await entriesOf(ada)).toEqual([entry]);
  });

  it('who leave take nothing along, not even starred, and have it with its star on coming back', async () => {
    await add(ada, await read(ada, 'tides'), 'for Monday');
    const [item] = await onBoard(ben);
    await ok(ben.post(`/items/${item?.id}/star`));

    await groups.leave(group, bens.credentials.userId);

    expect(await ben.feedList()).toMatchObject({ feeds: [], starredCount: 0 });
    expect(await ben.items()).toEqual([]);
    await groups.enter(group, bens.credentials.userId);
    expect(await onBoard(ben)).toMatchObject([{ id: item?.id, starred: true }]);
  });

  it('who take their account along have nothing of it in the archive', async () => {
    await add(ada, await read(ada, 'tides'), 'for Monday');
    const [item] = await onBoard(ben);
    await ok(ben.post(`/items/${item?.id}/star`));

    const { texts } = readArchive(await takeEverything(bens));

    expect([...texts.keys()]).toContain('saved.json');
    expect([...texts.values()].filter((text) => text.includes('for Monday'))).toEqual([]);
  });

  it('who have added something and leave leave it to the board', async () => {
    await add(ben, await read(ben, 'tides'), 'from Ben');

    await groups.leave(group, bens.credentials.userId);
    await app.inside(UsersService).delete(bens.credentials.userId);

    expect((await entriesOf(ada))[0]?.added).toMatchObject([{ userId: null, note: 'from Ben' }]);
    expect(titles(await onBoard(ada))).toEqual(['tides']);
  });
});

it('boards, entries, entries of a day and notes have limits, each with a sentence', async () => {
  await groups.createBoard(folder, 'Second');
  const third = await groups.news.post('/boards', { groupFolderId: folder, name: 'Third' });
  expect([third.status, third.text]).toEqual([
    422,
    expect.stringContaining('at most 2 boards per group'),
  ]);
  const ids = [];
  for (const title of ['a', 'b', 'c', 'd', 'e']) {
    ids.push(await read(ada, title));
  }
  const long = await post(ada, ids[0] ?? 0, 'x'.repeat(4001));
  expect(long.status).toBe(422);
  const entries = [];
  for (const id of ids.slice(0, 3)) {
    entries.push(await add(ada, id));
  }
  const fourth = await post(ada, ids[3] ?? 0);
  expect([fourth.status, fourth.text]).toEqual([
    422,
    expect.stringContaining('at most 3 entries per board'),
  ]);
  const [again] = await onBoard(ben);
  await add(ben, again?.id ?? 0);

  const today = await post(ben, await read(ben, 'f'));

  expect([today.status, today.text]).toEqual([
    429,
    expect.stringContaining('5 entries within a day'),
  ]);
  expect(await entriesOf(ada)).toHaveLength(3);
});

it('the entries of a day are counted also when they are taken back, or have another note', async () => {
  const item = await read(ada, 'tides');
  for (const note of ['one', 'two']) {
    const { id } = await add(ada, item, note);
    await ok(ada.delete(`/boards/${board}/entries/${id}`));
  }
  for (const note of ['three', 'four', 'five']) {
    await add(ada, item, note);
  }

  const { status, headers } = await post(ada, item, 'six');

  expect(status).toBe(429);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(86_400);
  expect((await entriesOf(ada))[0]?.added.map(({ note }) => note)).toEqual(['five']);
});

it('so many people add the same at most, and each of them can still change the note', async () => {
  const path = `/${specs}/tides`;
  const item = await read(ada, 'tides', path);
  await add(ada, item);
  await add(ben, await read(ben, 'tides', path));
  const carl = await app.signIn();
  await groups.enter(group, carl.credentials.userId);
  const client = new NewsClient(carl, 'v1-3');

  const third = await post(client, await read(client, 'tides', path));

  expect([third.status, third.text]).toEqual([
    422,
    expect.stringContaining('at most 2 people per board entry'),
  ]);
  const { added } = await add(ada, item, 'for Tuesday');
  expect(added.map(({ note }) => note)).toEqual(['for Tuesday', '']);
});

it('making and removing boards is in the audit log', async () => {
  await ok(groups.news.delete(`/boards/${board}`));

  const events = await app.database.query<{ details: string }>(
    `select details from security_event where kind = 'group_changed' and details like '%board%'
      and details like '%Worth reading%' order by id desc limit 2`,
  );
  expect(events.map(({ details }) => details)).toEqual([
    'folder "Desk": removed the board "Worth reading"',
    'folder "Desk": added the board "Worth reading"',
  ]);
});

describe('a board that a member publishes', () => {
  interface FeedOutJson {
    readonly name: string | null;
    readonly address: string;
  }
  interface PublishedJson {
    readonly title: string;
    readonly items: readonly { title: string; content_html: string }[];
  }

  const publish = async (client: NewsClient, withNotes: boolean) => {
    const list = { kind: 'board', ofId: board, fullText: true, withNotes };
    return (await ok<{ feedOut: FeedOutJson }>(client.post('/feeds-out', list))).feedOut;
  };
  const readAt = (address: string, tag = '') =>
    new ApiClient('').call('GET', `${address}/feed.json`, { headers: { 'if-none-match': tag } });

  it('has its entries, who added them only on request, and none that was removed', async () => {
    await add(ada, await read(ada, 'tides'), 'for Monday');
    const gone = await add(ada, await read(ada, 'storms'));
    await ok(ada.delete(`/boards/${board}/entries/${gone.id}`));

    const { name, address } = await publish(ben, true);
    expect(name).toBe('Worth reading');
    const withNotes = (await readAt(address)).json as PublishedJson;
    await publish(ben, false);
    const without = (await readAt(address)).json as PublishedJson;

    expect(withNotes.title).toBe('Worth reading');
    expect(withNotes.items.map(({ title }) => title)).toEqual(['tides']);
    expect(withNotes.items[0]?.content_html).toContain('for Monday');
    expect(without.items[0]?.content_html).toBe('<p>About tides &amp; more</p>');
  });

  it('ends when the member leaves, and cannot be published by others', async () => {
    await add(ada, await read(ada, 'tides'));
    const { address } = await publish(ben, false);
    const { status, headers } = await readAt(address);
    const tag = String(headers['etag']);
    expect([status, (await readAt(address, tag)).status]).toEqual([200, 304]);
    const others = await stranger.post('/feeds-out', { kind: 'board', ofId: board });
    expect(others.status).toBe(404);

    await groups.leave(group, bens.credentials.userId);

    expect((await readAt(address, tag)).status).toBe(404);
    expect((await readAt(address)).status).toBe(404);
    const { feedsOut } = await ok<{ feedsOut: FeedOutJson[] }>(ben.get('/feeds-out'));
    expect(feedsOut.map(({ name }) => name)).toEqual([null]);
  });
});
