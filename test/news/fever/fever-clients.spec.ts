import { beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { rss } from '../../support/feed-server.js';
import {
  feverClientOf,
  idsIn,
  type FeverClient,
  type FeverItem,
} from '../../support/fever-client.js';
import { NewsClient, type FeedJson } from '../../support/news-client.js';
import { sharedService } from '../../support/shared-service.js';

/* Requests of clients in their order, as their sources send them, and what these take for granted. */

const { app, publisher } = await sharedService();

let nextFeed = 0;
let news: NewsClient;
let fever: FeverClient;
let feed: FeedJson;

const publish = (count: number) =>
  publisher.publish(
    `/${nextFeed}.xml`,
    rss({
      title: 'Tides',
      items: Array.from({ length: count }, (_, n) => ({ title: `tide ${n}`, guid: `${n}` })),
    }),
  );

/** A new subscription of another user fetches the feed, and delivers nothing to this user. */
const fetchedForOthers = async () => {
  await new NewsClient(await app.signIn(), 'v1-3').subscribe(feed.url);
};

beforeEach(async () => {
  nextFeed += 1;
  publish(120);
  const user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  fever = await feverClientOf(app, user);
  const folder = await news.createFolder('Folder');
  feed = await news.subscribe(publisher.url(`/${nextFeed}.xml`), folder.id);
});

describe('Fluent Reader', () => {
  /** Downwards from the largest number of JavaScript to the highest id it has. */
  async function fetchItems(lastId: number): Promise<FeverItem[]> {
    const items: FeverItem[] = [];
    let min = Number.MAX_SAFE_INTEGER;
    let page: readonly FeverItem[];
    do {
      page = await fever.items(`max_id=${min}`);
      items.push(...page.filter(({ id }) => id > lastId));
      min = page.reduce((lowest, { id }) => Math.min(lowest, id), min);
    } while (min > lastId && page.length >= 50);
    return items;
  }

  it('pages down to what it has, and finds what is new the next time', async () => {
    const first = await fetchItems(0);
    expect(first.map(({ id }) => id)).toEqual(Array.from({ length: 120 }, (_, n) => 120 - n));

    publish(123);
    await fetchedForOthers();

    expect((await fetchItems(120)).map(({ id }) => id)).toEqual([123, 122, 121]);
  });

  it('marks a feed read up to the next second', async () => {
    const before = Math.floor(Date.now() / 1000) + 1;
    const { json } = await fever.post(
      '/fever/?api',
      `&mark=feed&as=read&id=${feed.id}&before=${before}`,
    );

    expect(json).toMatchObject({ auth: 1, unread_item_ids: '' });
  });
});

describe('elfeed-protocol', () => {
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, n) => from + n).join(',');

  it('begins with starred and unread items, and then asks for the ids that come next', async () => {
    await news.post('/items/7/star');
    await fever.ask('feeds');
    const { saved_item_ids: saved } = await fever.ask('saved_item_ids');
    const { unread_item_ids: unread } = await fever.ask('unread_item_ids');
    expect([saved, idsIn(unread).length]).toEqual(['7', 120]);
    expect((await fever.items(`with_ids=${saved}`))[0]).toMatchObject({ id: 7, is_saved: 1 });
    for (let at = 0; at < 120; at += 50) {
      const ids = idsIn(unread).slice(at, at + 50);
      expect(await fever.items(`with_ids=${ids.join(',')}`)).toHaveLength(ids.length);
    }

    publish(122);
    await fetchedForOthers();
    await fever.ask('feeds');

    const items = await fever.items(`with_ids=${range(121, 170)}`);
    expect(items.map(({ id }) => id).toSorted()).toEqual([121, 122]);
  });
});

describe('NewsFlash', () => {
  /** Its decoder refuses numbers for texts, null, and flags that are not 0 or 1. */
  const id = z.int().min(0);
  const seconds = z.int();
  const flag = z.union([z.literal(0), z.literal(1)]);
  const ids = z.string().regex(/^(?:\d+(?:,\d+)*)?$/);
  const Groups = z.object({
    groups: z.array(z.object({ id, title: z.string() })),
    feeds_groups: z.array(z.object({ group_id: id, feed_ids: ids })),
  });
  const Feeds = z.object({
    feeds: z.array(
      z.object({
        id,
        favicon_id: id,
        title: z.string(),
        url: z.string(),
        site_url: z.string().nullable(),
        is_spark: flag,
        last_updated_on_time: seconds,
      }),
    ),
    feeds_groups: Groups.shape.feeds_groups,
  });
  const Items = z.object({
    total_items: id,
    items: z.array(
      z.object({
        id,
        feed_id: id,
        title: z.string(),
        author: z.string(),
        html: z.string(),
        url: z.string(),
        is_saved: flag,
        is_read: flag,
        created_on_time: seconds,
      }),
    ),
  });
  const decoders = {
    groups: Groups,
    feeds: Feeds,
    favicons: z.object({
      favicons: z.array(z.object({ id, data: z.string().regex(/^image\/[^;]+;base64,/) })),
    }),
    items: Items,
    'items&since_id=7': Items,
    'items&max_id=7': Items,
    'items&with_ids=1,2,3': Items,
    unread_item_ids: z.object({ unread_item_ids: ids }),
    saved_item_ids: z.object({ saved_item_ids: ids }),
    links: z.object({ links: z.array(z.never()) }),
    'mark=item&as=read&id=3': z.object({ api_version: z.literal(3) }),
    'mark=group&as=read&id=0&before=1': z.object({ api_version: z.literal(3) }),
  };

  it.each(Object.entries(decoders))('decodes the answer to %s', async (query, decoder) => {
    await news.subscribe(publisher.url(`/${nextFeed}.xml?root`));

    // It sends multipart forms.
    const { json } = await app.asStranger().call('POST', `/fever/?api&${query}`, {
      body: `--x\r\nContent-Disposition: form-data; name="api_key"\r\n\r\n${fever.key}\r\n--x--\r\n`,
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });

    const answer = z.object({ auth: z.literal(1), last_refreshed_on_time: seconds });
    expect(answer.safeParse(json).error).toBeUndefined();
    expect(decoder.safeParse(json).error).toBeUndefined();
  });
});
