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

/** The next sources by id that feeds of anyone are behind, at most `limit`; reads every subscription. */
export async function pendingSourcesAfter(
  runner: SqlRunner,
  afterSourceId: number,
  limit: number,
): Promise<SourceRevision[]> {
  return runner.query<SourceRevision>(
    `select source.id as "sourceId", source.rev from source
      where source.id > $1
        and exists (select from subscription s where s.source_id = source.id and ${IS_BEHIND})
      order by source.id limit $2`,
    [afterSourceId, limit],
  );
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
    `delete from late_delivery using subscription
      where subscription.id = subscription_id and reader_id = $2
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
    `select distinct reader.id as "readerId", user_id as "userId"
       from late_delivery join subscription s on s.id = subscription_id
       join reader on reader.id = s.reader_id
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

/** Those that are not listed any more, and neither delivered nor pending for anyone. */
export async function listUnreferenced(
  runner: SqlRunner,
  articles: readonly OldArticle[],
): Promise<OldArticle[]> {
  return runner.query<OldArticle>(
    `select id, source_id as "sourceId", rev
       from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as old (id, source_id, rev)
      where not exists (select from source_document listing
                         where listing.source_id = old.source_id
                           and old.id = any(listing.article_ids))
        and not exists (select from late_delivery where article_id = old.id)
        and not exists (select from subscription s
                         where s.source_id = old.source_id
                           and (s.delivered_rev between 0 and old.rev - 1
                                or exists (select from item
                                            where item.subscription_id = s.id
                                              and item.article_id = old.id)))
        and not exists (select from former_source former
                          join item on item.subscription_id = former.subscription_id
                                   and item.article_id = old.id
                         where former.source_id = old.source_id)`,
    [
      articles.map(({ id }) => id),
      articles.map(({ sourceId }) => sourceId),
      articles.map(({ rev }) => rev),
    ],
  );
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
