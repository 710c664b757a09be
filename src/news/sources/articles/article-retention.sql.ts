import type { SqlRunner } from '../../../database/database.js';
import { EVIDENCE } from './evidence.sql.js';

/** A source and one of its revisions. */
export interface SourceRevision {
  readonly sourceId: number;
  readonly rev: number;
}

const IS_BEHIND = 's.delivered_rev >= 0 and s.delivered_rev < source.rev';

/** Sources that a reader's feeds are behind, with their revision. */
export async function pendingSources(tx: SqlRunner, readerId: number): Promise<SourceRevision[]> {
  return tx.query<SourceRevision>(
    `select source.id as "sourceId", source.rev
       from subscription s join source on source.id = s.source_id
      where s.reader_id = $1 and ${IS_BEHIND}`,
    [readerId],
  );
}

/** The next sources by id, at most `limit`. */
export async function sourcesAfter(
  runner: SqlRunner,
  afterSourceId: number,
  limit: number,
): Promise<SourceRevision[]> {
  return runner.query<SourceRevision>(
    'select id as "sourceId", rev from source where id > $1 order by id limit $2',
    [afterSourceId, limit],
  );
}

/**
 * The revision of each of these sources that feeds of anyone are farthest behind; without sources that
 * nobody follows. Reads their subscriptions.
 */
export async function lowestDelivered(
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
export async function expiredRevisions(
  runner: SqlRunner,
  sources: readonly SourceRevision[],
  keepDays: number,
): Promise<SourceRevision[]> {
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

/** Moves the subscriptions of a reader past these revisions. */
export async function skipTo(
  tx: SqlRunner,
  readerId: number,
  revisions: readonly SourceRevision[],
): Promise<void> {
  await tx.query(
    `update subscription s set delivered_rev = expired.rev
       from unnest($2::bigint[], $3::bigint[]) as expired (source_id, rev)
      where s.reader_id = $1 and s.source_id = expired.source_id
        and s.delivered_rev >= 0 and s.delivered_rev < expired.rev`,
    [readerId, revisions.map(({ sourceId }) => sourceId), revisions.map(({ rev }) => rev)],
  );
}

/** Drops late deliveries of a reader older than `keepDays`. */
export async function expireLate(tx: SqlRunner, readerId: number, keepDays: number): Promise<void> {
  await tx.query(
    `delete from late_delivery
      where subscription_id in (select subscription_id from follower where reader_id = $2)
        and since < now() - make_interval(days => $1)`,
    [keepDays, readerId],
  );
}

/** A user, with the reader's id. */
export interface UserToExpire {
  readonly readerId: number;
  readonly userId: string;
}

/** Users with feeds that are behind these revisions. */
export async function usersBehind(
  runner: SqlRunner,
  revisions: readonly SourceRevision[],
): Promise<UserToExpire[]> {
  return runner.query<UserToExpire>(
    `select distinct reader.id as "readerId", user_id as "userId"
       from unnest($1::bigint[], $2::bigint[]) as expired (source_id, rev)
       join subscription s on s.source_id = expired.source_id
                          and s.delivered_rev >= 0 and s.delivered_rev < expired.rev
       join reader on reader.id = s.reader_id`,
    [revisions.map(({ sourceId }) => sourceId), revisions.map(({ rev }) => rev)],
  );
}

/** Users with late deliveries older than `keepDays`. */
export async function usersWithLate(runner: SqlRunner, keepDays: number): Promise<UserToExpire[]> {
  return runner.query<UserToExpire>(
    `select distinct reader_user.reader_id as "readerId", user_id as "userId"
       from late_delivery
       join follower on follower.subscription_id = late_delivery.subscription_id
       join reader_user on reader_user.reader_id = follower.reader_id
      where since < now() - make_interval(days => $1)`,
    [keepDays],
  );
}

/** An article that may be removed. */
export interface OldArticle {
  readonly id: number;
  readonly sourceId: number;
  readonly rev: number;
}

/** A condition on `source_document`: no first delivery reads a former listing any more. */
const IS_SETTLED = "listed_at < now() - interval '5 minutes'";

/** The next `limit` sources by id, without those whose listing changed within five minutes. */
export async function settledSources(
  runner: SqlRunner,
  afterSourceId: number,
  limit: number,
): Promise<number[]> {
  const rows = await runner.query<{ id: number }>(
    `select source_id as id from source_document
      where source_id > $1 and ${IS_SETTLED} order by source_id limit $2`,
    [afterSourceId, limit],
  );
  return rows.map(({ id }) => id);
}

/** Locks a source, unless it is locked elsewhere or its listing changed within five minutes. */
export async function lockSettled(tx: SqlRunner, sourceId: number): Promise<boolean> {
  const rows = await tx.query(
    `select from source join source_document on source_id = source.id
      where source.id = $1 and ${IS_SETTLED} for update of source skip locked`,
    [sourceId],
  );
  return rows.length > 0;
}

/** Articles of these sources older than `keepDays`, in an order; by article_source_id_rev_index. */
export async function oldArticles(
  runner: SqlRunner,
  sourceIds: readonly number[],
  keepDays: number,
  after: OldArticle | null,
  limit: number,
): Promise<OldArticle[]> {
  return runner.query<OldArticle>(
    `select id, source_id as "sourceId", rev from article
      where source_id = any($1::bigint[]) and fetched_at < now() - make_interval(days => $2)
        and (source_id, rev, id) > ($3::bigint, $4::bigint, $5::bigint)
      order by source_id, rev, id limit $6`,
    [
      sourceIds,
      keepDays,
      ...(after === null ? [0, 0, 0] : [after.sourceId, after.rev, after.id]),
      limit,
    ],
  );
}

/** Those that are neither listed any more nor delivered late. */
export async function listUnlisted(
  runner: SqlRunner,
  articles: readonly OldArticle[],
): Promise<OldArticle[]> {
  return runner.query<OldArticle>(
    `select id, source_id as "sourceId", rev
       from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as old (id, source_id, rev)
      where not exists (select from source_document listing
                         where listing.source_id = old.source_id
                           and old.id = any(listing.article_ids))
        and not exists (select from late_delivery where article_id = old.id)`,
    [
      articles.map(({ id }) => id),
      articles.map(({ sourceId }) => sourceId),
      articles.map(({ rev }) => rev),
    ],
  );
}

/** Feeds of a source, now or before their address was changed, with ids in a range. */
export interface FeedRange {
  readonly sourceId: number;
  /** Exclusive. */
  readonly after: number;
  /** Inclusive; null is all above. */
  readonly upTo: number | null;
}

/** The next feeds of each source, about `size`, after those of a range. */
export async function nextFeeds(
  runner: SqlRunner,
  ranges: readonly FeedRange[],
  size: number,
): Promise<FeedRange[]> {
  return runner.query<FeedRange>(
    `select source_id as "sourceId", after,
            (select subscription_id
               from (select subscription_id from follower
                      where follower.source_id = asked.source_id and subscription_id > after
                      union
                     select subscription_id from former_follower former
                      where former.source_id = asked.source_id and subscription_id > after) feed
              order by subscription_id offset $3 limit 1) as "upTo"
       from unnest($1::bigint[], $2::bigint[]) as asked (source_id, after)`,
    [ranges.map(({ sourceId }) => sourceId), ranges.map(({ upTo }) => upTo), size],
  );
}

/**
 * Ids of those of the articles that some of the feeds have as an item: a look-up for each article and
 * feed, by item_subscription_id_article_id_unique.
 */
export async function listHad(
  runner: SqlRunner,
  articles: readonly OldArticle[],
  feeds: readonly FeedRange[],
): Promise<Set<number>> {
  const rows = await runner.query<{ id: number }>(
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
      feeds.map(({ sourceId }) => sourceId),
      feeds.map(({ after }) => after),
      feeds.map(({ upTo }) => upTo),
      articles.map(({ id }) => id),
      articles.map(({ sourceId }) => sourceId),
    ],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Replaces articles of a source with their tombstones. */
export async function buryArticles(
  tx: SqlRunner,
  sourceId: number,
  articleIds: readonly number[],
): Promise<void> {
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
    [sourceId, articleIds],
  );
  await tx.query('delete from article where source_id = $1 and id = any($2::bigint[])', [
    sourceId,
    articleIds,
  ]);
  await tx.query('delete from full_text_page where article_id = any($1::bigint[])', [articleIds]);
}

/** Sources with more than `keep` tombstones, at most `limit`; reads all tombstones. */
export async function sourcesWithManyTombstones(
  runner: SqlRunner,
  keep: number,
  limit: number,
): Promise<number[]> {
  const rows = await runner.query<{ id: number }>(
    `select source_id as id from article_tombstone
      group by source_id having count(*) > $1 limit $2`,
    [keep, limit],
  );
  return rows.map(({ id }) => id);
}

/** Deletes tombstones of a source beyond its latest `keep`, at most `limit`. @returns how many */
export async function deleteTombstones(
  runner: SqlRunner,
  sourceId: number,
  keep: number,
  limit: number,
): Promise<number> {
  const rows = await runner.query(
    `delete from article_tombstone
      where source_id = $1
        and guid_hash in (select guid_hash from article_tombstone where source_id = $1
                           order by buried_at desc, guid_hash offset $2 limit $3)
     returning 1`,
    [sourceId, keep, limit],
  );
  return rows.length;
}
