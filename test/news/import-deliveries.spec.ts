import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ImportDeliveries } from '../../src/news/opml/import-deliveries.service.js';
import { DeliveryService } from '../../src/news/reader/delivery/delivery.service.js';
import { EarlyReadersRepository } from '../../src/news/reader/delivery/early-readers.repository.js';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { rss } from '../support/feed-server.js';
import { NewsClient, ok, titles } from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';
import { until } from '../support/until.js';

const { app, publisher } = await serviceAndPublisher();
const imports = app.inside(ImportDeliveries);
imports.fewestFeeds = 2;
imports.firstMs = 0;
imports.everyMs = 20;

/** Deliveries that had to wait for a client. */
let waits = 0;
const delivery = app.inside(DeliveryService);
const deliverEarly = delivery.deliverEarly.bind(delivery);
delivery.deliverEarly = async (reader) => {
  const isDelivered = await deliverEarly(reader);
  waits += isDelivered ? 0 : 1;
  return isDelivered;
};

let user: TestUser;
let news: NewsClient;
let specs = 0;

beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  specs += 1;
  waits = 0;
});

/** The address of a feed with one article. */
function publish(title: string): string {
  const path = `/${specs}/${title}`;
  const link = publisher.url(`${path}/page`);
  const items = [{ title, guid: title, link, body: `<p>${title}</p>` }];
  publisher.publish(path, rss({ title, link: publisher.url('/'), items }));
  return publisher.url(path);
}

async function importFeeds(urls: readonly string[]): Promise<void> {
  const outlines = urls.map((url) => `<outline type="rss" xmlUrl="${url}"/>`).join('');
  const body = `<opml version="2.0"><body>${outlines}</body></opml>`;
  await ok(news.call('POST', '/opml/import', { body, headers: { 'content-type': 'text/x-opml' } }));
}

async function fetch(): Promise<void> {
  await app.database.query('update source_schedule set due_at = now()');
  await app.inside(UpdateCycle).fetchDue();
}

/** The number of items that a user has. */
async function delivered(of = user): Promise<number> {
  const { id } = await readerOf(app, of.credentials.userId);
  return (await app.database.query('select 1 from item where reader_id = $1', [id])).length;
}

describe('the items of a large import', () => {
  it('are made before a client asks, for its reader alone', async () => {
    const urls = [publish('one'), publish('two')];
    const stranger = await app.signIn();
    const other = new NewsClient(stranger, 'v1-3');
    await other.subscribe(urls[0] ?? '');
    await other.items();
    publish('one');
    await importFeeds(urls);

    await fetch();
    await until('the items', async () => (await delivered()) === 2);

    expect(titles(await news.items()).toSorted()).toEqual(['one', 'two']);
    expect(titles(await other.items())).toEqual(['one']);
  });

  it('wait for a client between pages, which so misses no change', async () => {
    for (const title of ['a', 'b', 'c']) {
      await news.subscribe(publish(title));
    }
    await news.items();
    const urls = [publish('one'), publish('two')];
    await importFeeds(urls);
    const page = (offset: number) =>
      news.items({ type: 3, getRead: true, oldestFirst: true, batchSize: 2, offset });
    await until('an early reader', async () => {
      const { id } = await readerOf(app, user.credentials.userId);
      const [row] = await app.database.query<{ isEarly: boolean }>(
        'select early_until > now() as "isEarly" from reader where id = $1',
        [id],
      );
      return row?.isEarly === true;
    });

    const first = await page(0);
    await fetch();
    await until('a delivery that waits', () => waits > 0);
    expect(await delivered()).toBe(3);
    const second = await page(first.at(-1)?.id ?? 0);

    expect([first, second].map(titles)).toEqual([['a', 'b'], ['c']]);
    await until('the items', async () => (await delivered()) === 5);
  });

  it('are made by one task, of however many imports of a user', async () => {
    const early = jest.spyOn(app.inside(EarlyReadersRepository), 'setFor');
    await importFeeds([publish('one'), publish('two')]);
    await importFeeds([publish('three'), publish('four')]);

    await fetch();
    await until('the items', async () => (await delivered()) === 4);

    expect(early).toHaveBeenCalledTimes(1);
    early.mockRestore();
  });

  it('are left to the first client, if the import is small', async () => {
    await importFeeds([publish('one')]);

    await fetch();

    expect(await delivered()).toBe(0);
    expect(titles(await news.items())).toEqual(['one']);
  });
});
