import { beforeEach, describe, expect, it } from '@jest/globals';
import { FullTextService } from '../../src/news/sources/full-text/full-text.service.js';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { rss, type RssItem } from '../support/feed-server.js';
import { NewsClient, titles, type FeedJson } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { type TestUser } from '../support/start-app.js';

/*
 * On a Citus cluster the articles of an ingest are committed a moment before the revision of their
 * source. Here the coordinator crashed between the two: docs/decisions/0073-articles-distributed.md.
 */

const { app, publisher } = await serviceAndPublisher();
let user: TestUser;
let news: NewsClient;
let path: string;
let feed: FeedJson;
let specs = 0;

beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  path = `/${(specs += 1)}.xml`;
});

const entry = (title: string, body = title): RssItem => ({ title, guid: title, body });
const publish = (...items: readonly RssItem[]) =>
  publisher.publish(path, rss({ title: path, items }));

/** Fetches without delivering. */
async function update(): Promise<void> {
  await app.database.query(
    `update source_schedule set due_at = now()
      where source_id = (select source_id from subscription where id = $1)`,
    [feed.id],
  );
  await app.inside(UpdateCycle).fetchDue();
}

async function subscribed(...items: readonly RssItem[]): Promise<void> {
  publish(...items);
  feed = await news.subscribe(publisher.url(path));
  await news.items();
}

async function listed(...items: readonly RssItem[]): Promise<void> {
  publish(...items);
  await update();
}

interface Coordinator {
  readonly sourceId: number;
  readonly rev: number;
  readonly etag: string | null;
  readonly bodyHash: Buffer;
  readonly articleIds: readonly string[];
}

async function coordinator(): Promise<Coordinator> {
  const [rows] = await app.database.query<Coordinator>(
    `select source.id as "sourceId", rev, etag, body_hash as "bodyHash", article_ids as "articleIds"
       from source join source_document on source_id = source.id
      where source.id = (select source_id from subscription where id = $1)`,
    [feed.id],
  );
  if (rows === undefined) {
    throw new Error('There is no such feed.');
  }
  return rows;
}

/** Undoes what `work` changed in the tables of the coordinator, so that its articles alone are stored. */
async function losingRevision(work: () => Promise<unknown>): Promise<void> {
  const { sourceId, rev, etag, bodyHash, articleIds } = await coordinator();
  await work();
  expect((await coordinator()).rev).toBeGreaterThan(rev);
  await app.database.query('update source set rev = $2, etag = $3 where id = $1', [
    sourceId,
    rev,
    etag,
  ]);
  await app.database.query(
    'update source_document set body_hash = $2, article_ids = $3 where source_id = $1',
    [sourceId, bodyHash, articleIds],
  );
}

describe('articles without their revision', () => {
  it('are delivered once when the same document is fetched again', async () => {
    await subscribed(entry('b'), entry('a'));
    await losingRevision(() => listed(entry('c'), entry('b', 'changed')));
    expect(titles(await news.items())).toEqual(['b', 'a']);

    await update();

    expect(titles(await news.items())).toEqual(['c', 'b', 'a']);
    expect((await news.item('b')).body).toContain('changed');
    const { rev } = await coordinator();
    await update();
    expect((await coordinator()).rev).toBe(rev);
    expect(titles(await news.items())).toEqual(['c', 'b', 'a']);
  });

  it('reach clients that synchronise changes, and new followers, as if nothing had happened', async () => {
    await subscribed(entry('b'), entry('a'));
    await losingRevision(() => listed(entry('c'), entry('b', 'changed')));
    const newest = Math.max(...(await news.items()).map(({ lastModified }) => lastModified));

    await update();

    const changed = await news.changedItems(newest);
    expect(titles(changed).toSorted()).toEqual(expect.arrayContaining(['b', 'c']));
    const follower = new NewsClient(await app.signIn(), 'v1-3');
    await follower.subscribe(publisher.url(path));
    expect(titles(await follower.items())).toEqual(['c', 'b']);
  });

  it('are delivered with the next revision when they are not listed any more', async () => {
    await subscribed(entry('a'));
    await losingRevision(() => listed(entry('b'), entry('a')));
    // The same document as before, which is not read again.
    await listed(entry('a'));
    expect(titles(await news.items())).toEqual(['a']);

    await listed(entry('c'), entry('a'));

    expect(titles(await news.items())).toEqual(['c', 'b', 'a']);
    const follower = new NewsClient(await app.signIn(), 'v1-3');
    await follower.subscribe(publisher.url(path));
    expect(titles(await follower.items())).toEqual(['c', 'a']);
  });

  it('do not return to those who have them when they are listed again', async () => {
    await subscribed(entry('b'), entry('a'));
    await losingRevision(() => listed(entry('c'), entry('b')));
    await listed(entry('b'));
    expect(titles(await news.items())).toEqual(['c', 'b', 'a']);

    await listed(entry('c'), entry('b'), entry('a'));

    expect(titles(await news.items())).toEqual(['c', 'b', 'a']);
  });

  it('of several lost fetches get a revision above all of them', async () => {
    await subscribed(entry('a'));
    await losingRevision(async () => {
      await listed(entry('b'), entry('a'));
      await listed(entry('c'), entry('b'), entry('a'));
    });

    await update();

    expect(titles(await news.items())).toEqual(['c', 'b', 'a']);
    const { rev, sourceId } = await coordinator();
    const [highest] = await app.database.query<{ rev: number }>(
      'select max(rev) as rev from article where source_id = $1',
      [sourceId],
    );
    expect(rev).toBe(highest?.rev);
  });
});

it('a full text without its revision is delivered when its page is fetched again', async () => {
  const text = 'The heron stands in the shallow water, and waits. '.repeat(40);
  publisher.publish('/page.html', `<html><body><article><p>${text}</p></article></body></html>`, {
    contentType: 'text/html',
  });
  await subscribed({ title: 'a', guid: 'a', link: publisher.url('/page.html') });
  await news.call('PATCH', `/feeds/${feed.id}`, { json: { fullTextEnabled: true } });
  const fetchPages = () => app.inside(FullTextService).fetchDue();
  await losingRevision(fetchPages);
  await app.database.query('update full_text_page set due_at = now()');
  await app.database.query('update host_state set next_slot_at = now()');

  await fetchPages();

  const { rev, sourceId } = await coordinator();
  expect(
    await app.database.query('select full_text_rev as rev from article where source_id = $1', [
      sourceId,
    ]),
  ).toEqual([{ rev }]);
});
