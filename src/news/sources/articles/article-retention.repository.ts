import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { EVIDENCE } from './known-articles.sql.js';

interface SourceRevision {
  readonly sourceId: number;
  readonly rev: number;
}

interface ReaderToExpire {
  readonly id: number;
  readonly userId: string;
}

/** An article that may be removed. */
interface OldArticle extends SourceRevision {
  readonly id: number;
}

/** Feeds of a source, now or before their address was changed, with ids in a range. */
interface FeedRange {
  readonly sourceId: number;
  /** Exclusive. */
  readonly after: number;
  /** Inclusive; null is all above. */
  readonly upTo: number | null;
}

/** A condition on `source_document`: no first delivery reads a former listing any more. */
const IS_SETTLED = "listed_at < now() - interval '5 minutes'";

/** Sources whose articles one statement reads. */
const MOST_SOURCES = 500;

/**
 * Feeds of each source that are asked together whether they have an article: few at first, since most
 * articles that anyone has are had by many.
 */
const FIRST_FEEDS = 16;
const MOST_FEEDS = 4096;

/**
 * Removes articles that nothing refers to.
 *
 * @see docs/decisions/0012-retention.md
 */
@Injectable()
export class ArticleRetentionRepository {
  constructor(private readonly database: Database) {}

  /**
   * Skips pending articles older than `keepDays` for a reader who has not synchronised for longer: on
   * return the reader gets the retained ones. Call under the reader's lock.
   */
  async expirePending(readerId: number, keepDays: number, tx: SqlRunner): Promise<void> {
    const pending = await tx.query<SourceRevision>(
      `select source.id as "sourceId", source.rev
         from subscription s join source on source.id = s.source_id
        where s.reader_id = $1 and s.delivered_rev >= 0 and s.delivered_rev < source.rev`,
      [readerId],
    );
    const expired = await expiredRevisions(tx, pending, keepDays);
    if (expired.length > 0) {
      await tx.query(
        `update subscription s set delivered_rev = expired.rev
           from unnest($2::bigint[], $3::bigint[]) as expired (source_id, rev)
          where s.reader_id = $1 and s.source_id = expired.source_id
            and s.delivered_rev >= 0 and s.delivered_rev < expired.rev`,
        [readerId, expired.map(({ sourceId }) => sourceId), expired.map(({ rev }) => rev)],
      );
    }
    await tx.query(
      `delete from late_delivery
        where subscription_id in (select subscription_id from follower where reader_id = $2)
          and since < now() - make_interval(days => $1)`,
      [keepDays, readerId],
    );
  }

  /** Readers for whom `expirePending` has something to do. */
  async readersWithExpired(keepDays: number): Promise<ReaderToExpire[]> {
    const readers = new Map<number, ReaderToExpire>();
    const add = (some: readonly ReaderToExpire[]) =>
      some.forEach((reader) => readers.set(reader.id, reader));
    add(
      await this.database.query<ReaderToExpire>(
        `select distinct reader_user.reader_id as id, user_id as "userId"
           from late_delivery
           join follower on follower.subscription_id = late_delivery.subscription_id
           join reader_user on reader_user.reader_id = follower.reader_id
          where since < now() - make_interval(days => $1)`,
        [keepDays],
      ),
    );
    let page: readonly SourceRevision[] = [];
    do {
      page = await this.database.query<SourceRevision>(
        'select id as "sourceId", rev from source where id > $1 order by id limit $2',
        [page.at(-1)?.sourceId ?? 0, MOST_SOURCES],
      );
      const ids = page.map(({ sourceId }) => sourceId);
      const delivered = await lowestDelivered(this.database, ids);
      const behind = page.filter(({ sourceId, rev }) => (delivered.get(sourceId) ?? rev) < rev);
      const expired = await expiredRevisions(this.database, behind, keepDays);
      if (expired.length > 0) {
        add(
          await this.database.query<ReaderToExpire>(
            `select distinct reader.id, user_id as "userId"
               from unnest($1::bigint[], $2::bigint[]) as expired (source_id, rev)
               join subscription s on s.source_id = expired.source_id
                                  and s.delivered_rev >= 0 and s.delivered_rev < expired.rev
               join reader on reader.id = s.reader_id`,
            [expired.map(({ sourceId }) => sourceId), expired.map(({ rev }) => rev)],
          ),
        );
      }
    } while (page.length === MOST_SOURCES);
    return [...readers.values()].toSorted((a, b) => a.id - b.id);
  }

  /**
   * Replaces articles with tombstones that no item refers to, that the publisher does not list any more,
   * that are pending for no reader and that arrived at least `keepDays` ago.
   *
   * Goes through the sources by id, and removes each one's articles in a transaction that holds its lock,
   * so that no ingest lists an article again meanwhile. Skips sources whose list just changed: a first
   * delivery may still read the former one.
   *
   * @param limits of one page
   * @returns the last source of this page, or null at the end; and how many articles were removed
   */
  async removeUnreferenced(
    afterSourceId: number,
    keepDays: number,
    limits: { readonly sources: number; readonly articles: number },
  ): Promise<{ lastSourceId: number | null; removed: number }> {
    const sources = await this.database.query<{ id: number }>(
      `select source_id as id from source_document
        where source_id > $1 and ${IS_SETTLED} order by source_id limit $2`,
      [afterSourceId, limits.sources],
    );
    const sourceIds = sources.map(({ id }) => id);
    let removed = 0;
    let page: OldArticle[] = [];
    do {
      const last = page.at(-1) ?? { sourceId: 0, rev: 0, id: 0 };
      // Uses article_source_id_rev_index.
      page = await this.database.query<OldArticle>(
        `select id, source_id as "sourceId", rev from article
          where source_id = any($1::bigint[]) and fetched_at < now() - make_interval(days => $2)
            and (source_id, rev, id) > ($3::bigint, $4::bigint, $5::bigint)
          order by source_id, rev, id limit $6`,
        [sourceIds, keepDays, last.sourceId, last.rev, last.id, limits.articles],
      );
      const free = await unreferenced(this.database, page);
      for (const [sourceId, articles] of Map.groupBy(free, (article) => article.sourceId)) {
        removed += await this.#bury(sourceId, articles);
      }
    } while (page.length === limits.articles);
    return { lastSourceId: sourceIds.at(-1) ?? null, removed };
  }

  /** A transaction has one source, since its articles are on one server of a cluster. */
  async #bury(sourceId: number, articles: readonly OldArticle[]): Promise<number> {
    return this.database.transaction(async (tx) => {
      const locked = await tx.query(
        `select 1 from source join source_document on source_id = source.id
          where source.id = $1 and ${IS_SETTLED} for update of source skip locked`,
        [sourceId],
      );
      // An article that changed since is in a listing that changed since.
      const free = locked.length > 0 ? await unreferenced(tx, articles) : [];
      if (free.length === 0) {
        return 0;
      }
      const ids = free.map(({ id }) => id);
      await tx.query(
        `insert into article_tombstone
                (source_id, guid_hash, first_rev, key_hash, unlisted_rev, evidence, guid)
         select article.source_id, article.guid_hash, article.first_rev, article.key_hash,
                article.unlisted_rev, ${EVIDENCE},
                case when article.key_hash is not null then article.guid end
           from article
           left join article_body on article_body.source_id = article.source_id
                                 and article_body.article_id = article.id
          where article.source_id = $1 and article.id = any($2::bigint[])
         on conflict (source_id, guid_hash) do update
            set (first_rev, key_hash, unlisted_rev, evidence, guid, buried_at) =
                (excluded.first_rev, excluded.key_hash, excluded.unlisted_rev, excluded.evidence,
                 excluded.guid, excluded.buried_at)`,
        [sourceId, ids],
      );
      await tx.query('delete from article where source_id = $1 and id = any($2::bigint[])', [
        sourceId,
        ids,
      ]);
      await tx.query('delete from full_text_page where article_id = any($1::bigint[])', [ids]);
      return ids.length;
    });
  }

  /**
   * Forgets all but the latest `keep` tombstones of each source; reads all tombstones. An article without
   * one counts as new when it is listed again.
   *
   * @returns how many, at most `limit`
   */
  async forgetRemoved(keep: number, limit: number): Promise<number> {
    const sources = await this.database.query<{ id: number }>(
      `select source_id as id from article_tombstone
        group by source_id having count(*) > $1 limit $2`,
      [keep, limit],
    );
    let removed = 0;
    for (const { id } of sources) {
      const rows = await this.database.query(
        `delete from article_tombstone
          where source_id = $1
            and guid_hash in (select guid_hash from article_tombstone where source_id = $1
                               order by buried_at desc, guid_hash offset $2 limit $3)
         returning 1`,
        [id, keep, limit - removed],
      );
      removed += rows.length;
      if (removed === limit) {
        break;
      }
    }
    return removed;
  }
}

/**
 * The revision of the feed that is farthest behind, for each of these sources; omits sources without
 * followers. Reads their subscriptions.
 */
async function lowestDelivered(
  runner: SqlRunner,
  sourceIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await runner.query<SourceRevision>(
    `select source_id as "sourceId", min(delivered_rev) as rev from subscription
      where source_id = any($1::bigint[]) and delivered_rev >= 0
      group by source_id`,
    [sourceIds],
  );
  return new Map(rows.map(({ sourceId, rev }) => [sourceId, rev]));
}

/**
 * The revisions of these sources up to which all articles are older than `keepDays`, where there are
 * such articles. Reads the articles of the sources.
 */
async function expiredRevisions(
  runner: SqlRunner,
  sources: readonly SourceRevision[],
  keepDays: number,
): Promise<SourceRevision[]> {
  if (sources.length === 0) {
    return [];
  }
  const ids = sources.map(({ sourceId }) => sourceId);
  return runner.query<SourceRevision>(
    `select article.source_id as "sourceId", max(article.rev) as rev
       from article
       join unnest($2::bigint[], $3::bigint[]) as behind (source_id, rev)
         on behind.source_id = article.source_id
       left join (select source_id, min(rev) as rev from article
                   where source_id = any($1::bigint[])
                     and fetched_at >= now() - make_interval(days => $4)
                   group by source_id) young on young.source_id = article.source_id
      where article.source_id = any($1::bigint[])
        and article.rev < coalesce(young.rev, behind.rev + 1)
      group by article.source_id`,
    [ids, ids, sources.map(({ rev }) => rev), keepDays],
  );
}

/**
 * The articles that are no longer listed, and neither delivered nor pending for any reader. Checked in this
 * order: a formerly pending article is an item already.
 */
async function unreferenced(
  runner: SqlRunner,
  articles: readonly OldArticle[],
): Promise<OldArticle[]> {
  if (articles.length === 0) {
    return [];
  }
  const unlisted = await runner.query<OldArticle>(
    `select id, source_id as "sourceId", rev
       from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as old (id, source_id, rev)
      where not exists (select 1 from source_document listing
                         where listing.source_id = old.source_id
                           and old.id = any(listing.article_ids))
        and not exists (select 1 from late_delivery where article_id = old.id)`,
    [
      articles.map(({ id }) => id),
      articles.map(({ sourceId }) => sourceId),
      articles.map(({ rev }) => rev),
    ],
  );
  if (unlisted.length === 0) {
    return [];
  }
  const sourceIds = [...new Set(unlisted.map(({ sourceId }) => sourceId))];
  const delivered = await lowestDelivered(runner, sourceIds);
  const pendingFor = ({ sourceId, rev }: OldArticle) => (delivered.get(sourceId) ?? rev) < rev;
  return withoutHad(
    runner,
    unlisted.filter((article) => !pendingFor(article)),
  );
}

/**
 * The articles that no feed has. Asks increasingly many feeds, until each article is found or all were
 * asked: a look-up for each article and feed, by item_subscription_id_article_id_unique.
 */
async function withoutHad(
  runner: SqlRunner,
  articles: readonly OldArticle[],
): Promise<OldArticle[]> {
  const free: OldArticle[] = [];
  let rest = articles;
  const sourceIds = new Set(articles.map(({ sourceId }) => sourceId));
  let asked: FeedRange[] = Array.from(sourceIds, (id) => ({ sourceId: id, after: 0, upTo: 0 }));
  for (let size = FIRST_FEEDS; rest.length > 0; size = Math.min(size * FIRST_FEEDS, MOST_FEEDS)) {
    // About `size` feeds per source, after the previous ones.
    asked = await runner.query<FeedRange>(
      `select source_id as "sourceId", after,
              (select subscription_id
                 from (select subscription_id from follower
                        where follower.source_id = asked.source_id and subscription_id > after
                        union
                       select subscription_id from former_follower former
                        where former.source_id = asked.source_id and subscription_id > after) feed
                order by subscription_id offset $3 limit 1) as "upTo"
         from unnest($1::bigint[], $2::bigint[]) as asked (source_id, after)`,
      [asked.map(({ sourceId }) => sourceId), asked.map(({ upTo }) => upTo), size],
    );
    const had = await runner.query<{ id: number }>(
      `select distinct item.article_id as id
         from (select reader_id, id, source_id from subscription
                where source_id = any($1::bigint[])
                union all
               select reader_id, subscription_id, source_id from former_source
                where source_id = any($1::bigint[])) feed
         join unnest($1::bigint[], $2::bigint[], $3::bigint[]) as asked (source_id, after, up_to)
           on asked.source_id = feed.source_id and feed.id > asked.after
          and feed.id <= coalesce(asked.up_to, feed.id)
         join unnest($4::bigint[], $5::bigint[]) as old (article_id, source_id)
           on old.source_id = feed.source_id
         join item on item.reader_id = feed.reader_id and item.subscription_id = feed.id
                  and item.article_id = old.article_id`,
      [
        asked.map(({ sourceId }) => sourceId),
        asked.map(({ after }) => after),
        asked.map(({ upTo }) => upTo),
        rest.map(({ id }) => id),
        rest.map(({ sourceId }) => sourceId),
      ],
    );
    const hadIds = new Set(had.map(({ id }) => id));
    const unknown = rest.filter(({ id }) => !hadIds.has(id));
    const last = new Map(asked.map(({ sourceId, upTo }) => [sourceId, upTo]));
    free.push(...unknown.filter(({ sourceId }) => last.get(sourceId) === null));
    rest = unknown.filter(({ sourceId }) => last.get(sourceId) !== null);
    const left = new Set(rest.map(({ sourceId }) => sourceId));
    asked = asked.filter(({ sourceId }) => left.has(sourceId));
  }
  return free;
}
