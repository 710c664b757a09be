import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { itemList, type ListedItem } from '../../src/news/reader/items/item-list.sql.js';
import { seedItems } from '../../tools/bench/seed-items.js';
import { histories } from '../support/long.js';
import { NewsClient } from '../support/news-client.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';

/*
 * The JSON of items is put together from bytes. Generated articles, with every kind of character and
 * value, arrive as they are stored.
 */

const ARTICLES = histories(100, 400);
const PAGE = ARTICLES / 4;

let app: TestApp;
let user: TestUser;
let readerId: number;
beforeAll(async () => {
  app = await startApp();
  user = await app.signIn();
  await seedItems(app, user, 4, ARTICLES / 4);
  const random = numbersFrom(`item json ${process.env['SEED'] ?? ''}`);
  for (let id = 1; id <= ARTICLES; id += 1) {
    await scramble(id, random);
  }
  const [reader] = await app.database.query<{ id: number }>('select id from reader');
  readerId = reader?.id ?? 0;
});
afterAll(() => app.stop());

/** Repeatable; 0 to 1. */
function numbersFrom(seed: string): () => number {
  let count = 0;
  return () => createHash('md5').update(`${seed} ${count++}`).digest().readUInt32BE() / 2 ** 32;
}

/** Each has a length of its own in UTF-8 or in JSON. */
const CHARACTERS = [
  ...Array.from({ length: 0x1f }, (_, n) => String.fromCharCode(n + 1)),
  ...Array.from(
    '"\\/<>&\'$%{}[],: \u007f\u0080\u00ff\u0100\u07ff\u0800\u2028\u2029\ud7ff\ue000\ufeff',
  ),
  ...Array.from('\ufffd\uffff😀𝕏\u{10ffff}eé漢\u0301'),
];

function textFrom(random: () => number, longest: number): string {
  const length = Math.floor(random() * longest);
  return Array.from(
    { length },
    () => CHARACTERS[Math.floor(random() * CHARACTERS.length)] ?? '',
  ).join('');
}

async function scramble(id: number, random: () => number): Promise<void> {
  const maybe = <Value>(value: Value) => (random() < 0.3 ? null : value);
  const short = () => maybe(textFrom(random, 30));
  const isLong = random() < 0.02;
  await app.database.query(
    `update article set guid = $2, title = $3, author = $4, url = $5, pub_date_seconds = $6,
            updated_date_seconds = $7, enclosure_mime = $8, enclosure_link = $9,
            media_thumbnail = $10, media_description = $11, rtl = $12 where id = $1`,
    [
      id,
      textFrom(random, 50),
      short(),
      short(),
      short(),
      Math.floor((random() - 0.5) * Number.MAX_SAFE_INTEGER),
      maybe(Math.floor((random() - 0.5) * 1e12)),
      short(),
      short(),
      short(),
      short(),
      random() < 0.5,
    ],
  );
  await app.database.query('update article_body set html = $2 where article_id = $1', [
    id,
    textFrom(random, isLong ? 150_000 : 300),
  ]);
  if (random() < 0.1) {
    await app.database.query('delete from article_body where article_id = $1', [id]);
  }
  await app.database.query(
    `update item set unread = $2, starred = $3, filtered = $4 where article_id = $1`,
    [id, random() < 0.5, random() < 0.5, random() < 0.5],
  );
}

function asShown(item: ListedItem): object {
  return {
    id: item.id,
    guid: item.guid,
    guidHash: item.guidHash,
    url: item.url,
    title: item.title,
    author: item.author,
    pubDate: item.pubDateSeconds,
    updatedDate: item.updatedDateSeconds === null ? null : String(item.updatedDateSeconds),
    body: item.body ?? '',
    enclosureMime: item.enclosureMime,
    enclosureLink: item.enclosureLink,
    mediaThumbnail: item.mediaThumbnail,
    mediaDescription: item.mediaDescription,
    feedId: item.feedId,
    unread: item.unread,
    starred: item.starred,
    filtered: item.filtered,
    lastModified: item.lastModifiedSeconds,
    rtl: item.rtl,
    fingerprint: item.fingerprint,
    contentHash: item.contentHash,
  };
}

it.each([
  ['/items', null, null],
  ['/items/updated?lastModified=0', null, null],
  [`/items?batchSize=${PAGE}&offset=${2 * PAGE}`, PAGE, 2 * PAGE],
] as [string, number | null, number | null][])(
  '%s has every value as it is stored',
  async (path, limit, offset) => {
    const { sql, params } = itemList(
      readerId,
      { of: 'all', unreadOnly: false },
      { oldestFirst: false, offset, limit },
    );
    const stored = await app.database.query<ListedItem>(sql, params);

    const { json } = await new NewsClient(user, 'v1-3').get(path);

    expect(stored).toHaveLength(limit ?? ARTICLES);
    expect((json as { items: object[] }).items).toEqual(stored.map(asShown));
  },
);
