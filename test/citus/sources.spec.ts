import { describe, expect, it, jest } from '@jest/globals';
import type { Transaction } from '../../src/database/database.js';
import { SearchIndex } from '../../src/news/reader/search/search-index.service.js';
import { ArticleRetentionRepository } from '../../src/news/sources/articles/article-retention.repository.js';
import { FullTextService } from '../../src/news/sources/full-text/full-text.service.js';
import { SourcesRepository } from '../../src/news/sources/sources.repository.js';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { addDueSources } from '../support/due-sources.js';
import { rss, type RssItem } from '../support/feed-server.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';

/*
 * The articles of each source are on one shard of a Citus cluster. What readers do with them is not
 * tested here.
 */

const NAMES_ARTICLES =
  /\b(from|join|into|update) (article|article_body|article_tokens|article_tombstone|failed_document)\b/;

const { app, publisher } = await serviceAndPublisher();

/** What readers know of the sources they follow, and its copy beside the sources. */
const FOLLOWING = ['subscription', 'follower'];

let feeds = 0;

/** A source with a follower that is due. @returns its id and path */
async function aSource(...items: RssItem[]): Promise<{ sourceId: number; path: string }> {
  const path = `/${(feeds += 1)}.xml`;
  publisher.publish(path, rss({ title: path, items }));
  const { userId } = (await app.signIn()).credentials;
  const [sourceId = 0] = await addDueSources(app, userId, [publisher.url(path)]);
  return { sourceId, path };
}

async function fetchAgain(path: string, ...items: RssItem[]): Promise<void> {
  publisher.publish(path, rss({ title: path, items }));
  await fetchDue();
}

async function fetchDue(): Promise<void> {
  await app.database.query('update source_schedule set due_at = now()');
  await app.inside(UpdateCycle).fetchDue();
}

const articlesOf = (sourceId: number) =>
  app.database.query<{ id: number; title: string; rev: number; html: string }>(
    `select id, title, rev, html from article
       join article_body on article_body.source_id = article.source_id and article_id = id
      where article.source_id = $1 order by id`,
    [sourceId],
  );

const sourceOf = async (sourceId: number) => {
  const [source] = await app.database.query<{ rev: number; articleIds: string[] }>(
    `select rev, article_ids as "articleIds" from source
       join source_document on source_id = id where id = $1`,
    [sourceId],
  );
  return { rev: source?.rev, articleIds: source?.articleIds.map(Number) };
};

/** How the records of transactions begin that `shardsDuring` has seen; others are in the background. */
const inspected: string[] = [];

/** Statements about articles within transactions, with the numbers of shards that each part of them asks. */
async function shardsDuring(work: () => Promise<unknown>): Promise<Map<string, number[]>> {
  const transaction = app.database.transaction.bind(app.database);
  const shards = new Map<string, number[]>();
  const spy = jest.spyOn(app.database, 'transaction').mockImplementation((inside) =>
    transaction(async (tx) => {
      const query = async <Row>(sql: string, params?: readonly unknown[]) => {
        if (NAMES_ARTICLES.test(sql)) {
          const plan = JSON.stringify(await tx.query(`explain (format json) ${sql}`, params));
          shards.set(
            sql.trim().replaceAll(/\s+/g, ' '),
            [...plan.matchAll(/"Task Count":(\d+)/g)].map(([, count]) => Number(count)),
          );
        }
        return tx.query<Row>(sql, params);
      };
      const result = await inside({ em: tx.em, query } as Transaction);
      const [row] = await tx.query<{ begin: string }>(
        `select 'citus_0_' || process_id || '_' || transaction_number || '_' as begin
           from get_current_transaction_id()`,
      );
      inspected.push(row?.begin ?? '');
      return result;
    }),
  );
  await work();
  spy.mockRestore();
  return shards;
}

/** Of those that were inspected, which were committed in two phases. Citus keeps a record for a while. */
const twoPhaseCommits = () =>
  app.database.query(
    `select gid from pg_dist_transaction
      where exists (select from unnest($1::text[]) as begin where starts_with(gid, begin))`,
    [inspected],
  );

describe('an ingest', () => {
  const item = (title: string, body = title) => ({ title, guid: title, body });

  it('asks the shard of the source alone, and commits in one phase', async () => {
    const { path } = await aSource(item('a'), item('b'), { title: 'no guid' });

    const first = await shardsDuring(() => fetchDue());
    const changed = await shardsDuring(() =>
      fetchAgain(path, item('c'), item('b', 'changed'), { title: 'no guid', body: 'changed' }),
    );
    const back = await shardsDuring(() => fetchAgain(path, item('a'), item('c')));
    const broken = await shardsDuring(async () => {
      publisher.publish(path, '<rss><channel><title>Broken', { contentType: 'text/plain' });
      await fetchDue();
    });

    for (const statements of [first, changed, back]) {
      expect(statements.size).toBeGreaterThan(1);
    }
    for (const statements of [first, changed, back, broken]) {
      for (const [sql, tasks] of statements) {
        expect({ sql, tasks }).toEqual({ sql, tasks: tasks.map(() => 1) });
        expect({ sql, tasks }).not.toEqual({ sql, tasks: [] });
      }
    }
    expect(await twoPhaseCommits()).toEqual([]);
  });

  it('numbers the articles of a source in the order of its fetches, regardless of the shard', async () => {
    const sources = [await aSource(item('1')), await aSource(item('2')), await aSource(item('3'))];
    await fetchDue();
    for (const { path } of sources) {
      await fetchAgain(path, item('later'));
      await fetchAgain(path, item('still later'));
    }

    for (const { sourceId } of sources) {
      const articles = await articlesOf(sourceId);
      expect(articles.map(({ rev }) => rev)).toEqual([1, 2, 3]);
      // Ids that a worker makes begin at 2^48.
      expect(articles.at(-1)?.id).toBeLessThan(1000);
    }
  });
});

describe('work on articles of all sources', () => {
  it('removes old articles of a source in one phase', async () => {
    const { sourceId, path } = await aSource({ title: 'old', guid: 'old' });
    await fetchDue();
    await fetchAgain(path, { title: 'new', guid: 'new' });
    await app.database.query('update subscription set delivered_rev = 100, started_rev = 1');
    await app.database.query("update article set fetched_at = now() - interval '99 days'");
    await app.database.query("update source_document set listed_at = now() - interval '1 hour'");

    const retention = app.inside(ArticleRetentionRepository);
    const seenBefore = inspected.length;
    await shardsDuring(async () => {
      const most = { sources: 200, articles: 2 };
      const { removed } = await retention.removeUnreferenced(0, 30, most);
      expect(removed).toBeGreaterThan(0);
    });

    expect(inspected.length).toBeGreaterThan(seenBefore);
    expect((await articlesOf(sourceId)).map(({ title }) => title)).toEqual(['new']);
    expect(
      await app.database.query('select from article_tombstone where source_id = $1', [sourceId]),
    ).toHaveLength(1);
    expect(await twoPhaseCommits()).toEqual([]);
    expect(await retention.readersWithExpired(30)).toEqual([]);
    expect(await retention.forgetRemoved(0, 100)).toBeGreaterThan(0);
  });

  it('stores full texts as a revision, and indexes them', async () => {
    const { sourceId, path } = await aSource({
      title: 'piece',
      guid: 'piece',
      link: publisher.url('/piece.html'),
    });
    const text = 'The heron stands in the shallow water, and waits. '.repeat(40);
    publisher.publish(
      '/piece.html',
      `<html><body><article><p>${text}</p></article></body></html>`,
      {
        contentType: 'text/html',
      },
    );
    for (const table of FOLLOWING) {
      await app.database.query(`update ${table} set full_text = true where source_id = $1`, [
        sourceId,
      ]);
    }
    await fetchDue();
    const before = await sourceOf(sourceId);

    await app.inside(FullTextService).fetchDue();
    await app.inside(SearchIndex).indexPending();

    expect((await sourceOf(sourceId)).rev).toBe((before.rev ?? 0) + 1);
    expect(
      await app.database.query(
        `select from article_tokens where source_id = $1 and tokens @@ 'heron'::tsquery`,
        [sourceId],
      ),
    ).toHaveLength(1);
    expect(path).toBeDefined();
  });

  it('removes what a deleted source had', async () => {
    const { sourceId } = await aSource({ title: 'gone', guid: 'gone' });
    await fetchDue();
    for (const table of FOLLOWING) {
      await app.database.query(`delete from ${table} where source_id = $1`, [sourceId]);
    }
    await app.database.query("update source set fetched_at = now() - interval '1 day'");

    const sources = app.inside(SourcesRepository);
    expect(await sources.removeUnfollowed(10)).toBe(1);
    expect(await sources.removeArticlesOfRemoved(10)).toBe(1);

    expect(
      await app.database.query('select from article where source_id = $1', [sourceId]),
    ).toEqual([]);
    expect(
      await app.database.query('select from article_body where source_id = $1', [sourceId]),
    ).toEqual([]);
    expect(await sources.removeArticlesOfRemoved(10)).toBe(0);
  });
});
