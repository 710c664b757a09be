import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../../src/database/database.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { feedAddress } from '../../src/news/sources/feed-address.js';
import { shownAddress } from '../../src/news/sources/shown-address.js';
import {
  SourceListsRepository,
  type SourceOrder,
} from '../../src/news/statistics/source-lists.repository.js';
import { addDueSources } from '../support/due-sources.js';
import { explained } from '../support/explained.js';
import { NewsClient, ok } from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';

interface Sources {
  readonly now: number;
  readonly totals: { readonly all: number; readonly failing: number; readonly overdue: number };
  readonly found: number;
  readonly sources: readonly {
    readonly sourceId: number;
    readonly title: string;
    readonly address: string;
    readonly errorsInRow: number;
  }[];
}

let app: TestApp;
let user: TestUser;
let admin: NewsClient;

beforeAll(async () => {
  app = await startApp();
  user = await app.signIn();
  admin = new NewsClient(app.asAdmin(), 'v1-3');
});
afterAll(() => app.stop());

async function removeAll(): Promise<void> {
  await app.database.query('delete from subscription');
  // A table where readers are distributed.
  await app.database.query('delete from follower');
  await app.database.query('delete from source');
}

interface Followed {
  readonly url: string;
  readonly title?: string;
  readonly errors?: number;
  readonly dueInSeconds?: number;
}

/** Sources that the user follows. @returns their ids */
async function followed(...sources: readonly Followed[]): Promise<number[]> {
  const ids = await addDueSources(
    app,
    user.credentials.userId,
    sources.map(({ url }) => url),
  );
  for (const [index, { title = '', errors = 0, dueInSeconds = 60 }] of sources.entries()) {
    await app.database.query('update source set title = $2, error_count = $3 where id = $1', [
      ids[index],
      title,
      errors,
    ]);
    await app.database.query(
      'update source_schedule set due_at = now() + make_interval(secs => $2) where source_id = $1',
      [ids[index], dueInSeconds],
    );
  }
  return ids;
}

const sources = (query: Record<string, string | number> = {}) =>
  ok<Sources>(admin.get('/admin/sources', query));
const titles = async (query: Record<string, string | number>) =>
  (await sources(query)).sources.map(({ title }) => title);

describe('the list of sources', () => {
  beforeEach(removeAll);

  it('starts with those with most errors, and counts them by kind', async () => {
    const [calm, worst, bad] = await followed(
      { url: 'https://calm.example/feed', title: 'Calm' },
      { url: 'https://worst.example/feed', title: 'Worst', errors: 7, dueInSeconds: -60 },
      { url: 'https://bad.example/feed', title: 'Bad', errors: 2 },
    );

    const list = await sources();

    expect(list).toMatchObject({ totals: { all: 3, failing: 2, overdue: 1 }, found: 3 });
    expect(list.sources).toEqual([
      expect.objectContaining({ sourceId: worst, errorsInRow: 7 }),
      expect.objectContaining({ sourceId: bad, errorsInRow: 2 }),
      {
        sourceId: calm,
        title: 'Calm',
        address: 'https://calm.example/feed',
        host: 'calm.example',
        dueAt: expect.any(Number),
        why: null,
        workMs: 0,
        bytes: 0,
        beingFetched: false,
        followers: 1,
        errorsInRow: 0,
      },
    ]);
  });

  it('can be ordered by due date or by the name shown', async () => {
    await followed(
      { url: 'https://one.example/', title: 'zebra', dueInSeconds: 20 },
      { url: 'https://beavers.example/', dueInSeconds: 30 },
      { url: 'https://three.example/', title: 'Ant', dueInSeconds: 10 },
    );

    expect(await titles({ order: 'title' })).toEqual(['Ant', '', 'zebra']);
    expect(await titles({ order: 'due' })).toEqual(['Ant', 'zebra', '']);
  });

  it('has pages, with each source on one of them', async () => {
    const ids = await followed(
      ...Array.from({ length: 7 }, (_, n) => ({
        url: `https://many.example/${n}`,
        title: 'The same name',
      })),
    );

    for (const order of ['errors', 'due', 'title']) {
      const pages = await Promise.all(
        [0, 3, 6].map((offset) => sources({ order, limit: 3, offset })),
      );
      expect(pages.map((page) => page.sources.length)).toEqual([3, 3, 1]);
      expect(pages.map(({ found }) => found)).toEqual([7, 7, 7]);
      expect(
        new Set(pages.flatMap((page) => page.sources.map(({ sourceId }) => sourceId))),
      ).toEqual(new Set(ids));
    }
    expect((await sources({ offset: 7 })).sources).toEqual([]);
  });

  it('can be searched by parts of titles and addresses, case-insensitively', async () => {
    await followed(
      { url: 'https://harbour.example/tides.xml', title: 'Fair wind' },
      { url: 'https://mountain.example/snow.xml', title: 'Weather of the harbour' },
      { url: 'https://mountain.example/sun.xml', title: '100% sun_shine' },
    );

    expect(await titles({ search: ' HARBOUR ', order: 'title' })).toEqual([
      'Fair wind',
      'Weather of the harbour',
    ]);
    expect(await titles({ search: 'e/TIDES' })).toEqual(['Fair wind']);
    expect(await titles({ search: '0% sun_' })).toEqual(['100% sun_shine']);
    expect(await titles({ search: '%' })).toEqual(['100% sun_shine']);
    expect(await sources({ search: 'harbour', limit: 1 })).toMatchObject({
      totals: { all: 3 },
      found: 2,
    });
    expect(await sources({ search: 'desert' })).toMatchObject({ found: 0, sources: [] });
  });

  it('omits sources without followers', async () => {
    await followed({ url: 'https://left.example/', errors: 3, dueInSeconds: -60 });
    await app.database.query('delete from subscription');
    await app.database.query('delete from follower');

    expect(await sources()).toMatchObject({
      totals: { all: 0, failing: 0, overdue: 0 },
      found: 0,
      sources: [],
    });
  });

  it('accepts a title of any length', async () => {
    await followed({ url: 'https://long.example/', title: 'é'.repeat(100_000) });

    expect(await titles({ order: 'title', search: 'ÉÉ' })).toHaveLength(1);
  });

  it.each([
    ['limit', '0'],
    ['limit', '201'],
    ['offset', '-1'],
    ['order', 'secret'],
  ])('refuses a %s of %s', async (name, value) => {
    const { status, text } = await admin.get('/admin/sources', { [name]: value });

    expect(status).toBe(422);
    expect(text).toContain(`\\"${name}\\"`);
  });

  it('refuses a search text that is too long', async () => {
    expect((await admin.get('/admin/sources', { search: 'x'.repeat(1001) })).status).toBe(422);
  });

  it('is for administrators only', async () => {
    const reader = new NewsClient(user, 'v1-3');
    const stranger = new NewsClient(app.asStranger(), 'v1-3');

    expect((await reader.get('/admin/sources')).status).toBe(403);
    expect((await stranger.get('/admin/sources')).status).toBe(401);
  });
});

describe('secret parts of addresses', () => {
  beforeEach(removeAll);

  const SECRET = [
    'https://ada:hunter2@walled.example/feed?token=hush-hush',
    'https://hunter2@walled.example:8443/a@b/feed',
    'https://walled.example/?hush-hush',
  ];

  it('are neither shown nor found', async () => {
    await followed(...SECRET.map((url) => ({ url })));

    const { text } = await admin.get('/admin/sources');

    expect(text).not.toMatch(/hunter2|hush|ada/);
    for (const search of ['hunter2', 'hush', 'token', 'ada:', '@walled']) {
      expect(await sources({ search })).toMatchObject({ found: 0, sources: [] });
    }
    expect(await sources({ search: 'walled.example' })).toMatchObject({ found: 3 });
  });

  it.each([
    ...SECRET,
    'https://plain.example/feed.xml',
    'https://plain.example/?',
    'http://[2001:db8::1]:8080/feed?a=1',
    'https://plain.example/what//is@this?next=https://u:p@x.example/?q',
    'https://plain.example/%3Fno-query#fragment',
    'https://u%40x:p%2Fq%3F@plain.example/',
    'https://plain.example/?line%0Abreak',
  ])('are cut off %s by the database as by the service', async (url) => {
    const address = feedAddress(url).href;
    await followed({ url: address });

    const [row] = await app.database.query<{ shown: string }>(
      'select shown_address as shown from source',
    );

    expect(row?.shown).toBe(shownAddress(address));
  });
});

describe('with many sources', () => {
  const MANY = 5000;

  beforeAll(async () => {
    await removeAll();
    await app.database.query(
      `insert into source (url, url_key, title, error_count)
       select 'https://many.example/' || n, sha256(n::text::bytea), 'Title ' || n, greatest(0, n - ${MANY - 50})
         from generate_series(1, ${MANY}) n`,
    );
    await app.database.query(
      `insert into source_schedule (source_id, host_key, due_at)
       select id, 'many.example', now() + id % 3600 * interval '1 second' from source`,
    );
    const { userId } = user.credentials;
    await app.database.query(
      `insert into subscription (reader_id, source_id, url)
       select reader_id, source.id, 'x' from reader_user cross join source where user_id = $1`,
      [userId],
    );
    // Tells sources who follows them.
    await app.inside(ReadersRepository).change(await readerOf(app, userId), async () => {});
    for (const table of ['source', 'source_schedule', 'subscription', 'follower']) {
      await app.database.query(`vacuum analyze ${table}`);
    }
  });

  it.each([
    ['errors', 'source_error_count_index'],
    ['due', 'source_schedule_due_at_index'],
    ['title', 'source_shown_name_index'],
  ] as [SourceOrder, string][])('a page by %s uses %s', async (order, index) => {
    const selection = { search: '', order, limit: 50, offset: 100 };

    const used = await explained(app.database, (runner) =>
      new SourceListsRepository(runner as Database).page(selection),
    );

    expect(used).toContain(index);
  });

  it('failing and overdue ones are counted by an index', async () => {
    const used = await explained(app.database, (runner) =>
      new SourceListsRepository(runner as Database).totals(''),
    );

    expect(used).toContain('source_error_count_index');
    expect(used).toContain('source_schedule_due_at_index');
  });

  it('the last page is as complete as the first', async () => {
    const list = await sources({ order: 'title', limit: 200, offset: MANY - 200 });

    expect(list.sources).toHaveLength(200);
    expect(list.sources.at(-1)?.title).toBe('Title 999');
    expect(list.totals).toMatchObject({ all: MANY, failing: 50 });
  });
});
