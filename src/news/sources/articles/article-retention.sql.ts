import type { SqlRunner } from '../../../database/database.js';
import { EVIDENCE } from './evidence.sql.js';

/**
 * Per subscription, the revision up to which all articles of its source are older than `$1` days, if
 * the subscription is behind it. `$2` restricts this to one reader; null is all.
 */
const EXPIRED_REVISIONS = `
  select s.id as subscription_id, s.reader_id, old.rev
    from subscription s
    join source on source.id = s.source_id and source.rev > s.delivered_rev
    cross join lateral (
      select max(article.rev) as rev from article
       where article.source_id = s.source_id
         and article.rev < coalesce((select min(young.rev) from article young
                                      where young.source_id = s.source_id
                                        and young.fetched_at >= now() - make_interval(days => $1)),
                                    source.rev + 1)) old
   where s.delivered_rev >= 0 and old.rev > s.delivered_rev and ($2::bigint is null or s.reader_id = $2)`;

/** Moves the subscriptions of a reader past expired articles, and drops expired late deliveries. */
export async function expirePending(
  tx: SqlRunner,
  readerId: number,
  keepDays: number,
): Promise<void> {
  await tx.query(
    `update subscription set delivered_rev = expired.rev
       from (${EXPIRED_REVISIONS}) expired
      where subscription.id = expired.subscription_id`,
    [keepDays, readerId],
  );
  await tx.query(
    `delete from late_delivery using subscription
      where subscription.id = subscription_id and reader_id = $2
        and since < now() - make_interval(days => $1)`,
    [keepDays, readerId],
  );
}

/** Users for whom `expirePending` has something to do. Reads every subscription that is behind. */
export async function usersWithExpired(runner: SqlRunner, keepDays: number): Promise<string[]> {
  const rows = await runner.query<{ userId: string }>(
    `select user_id as "userId" from reader
      where id in (select reader_id from (${EXPIRED_REVISIONS}) expired
                    union
                   select reader_id from subscription join late_delivery on id = subscription_id
                    where since < now() - make_interval(days => $1))
      order by id`,
    [keepDays, null],
  );
  return rows.map(({ userId }) => userId);
}

/**
 * Locks the next `limit` sources by id; skips those locked elsewhere and those whose listing changed
 * within five minutes.
 */
export async function lockSettledSources(
  tx: SqlRunner,
  afterSourceId: number,
  limit: number,
): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(
    `select source.id from source join source_document on source_id = source.id
      where source.id > $1 and listed_at < now() - interval '5 minutes'
      order by source.id limit $2 for update of source skip locked`,
    [afterSourceId, limit],
  );
  return rows.map(({ id }) => id);
}

/**
 * Deletes articles of these sources and writes their tombstones: those older than `keepDays`, not
 * listed any more, and neither delivered nor pending for anyone.
 *
 * @returns how many, at most `limit`
 */
export async function buryArticles(
  tx: SqlRunner,
  sourceIds: readonly number[],
  keepDays: number,
  limit: number,
): Promise<number> {
  const rows = await tx.query(
    `with old as (
       select article.id, article.source_id, article.guid_hash, article.first_rev,
              article.key_hash, article.unlisted_rev, ${EVIDENCE} as evidence,
              case when article.key_hash is not null then article.guid end as guid
         from article left join article_body on article_body.article_id = article.id
        where article.source_id = any($1::bigint[])
          and article.fetched_at < now() - make_interval(days => $2)
          and not exists (select from source_document listing
                           where listing.source_id = article.source_id
                             and article.id = any(listing.article_ids))
          and not exists (select from subscription s
                           where s.source_id = article.source_id
                             and (s.delivered_rev between 0 and article.rev - 1
                                  or exists (select from item
                                              where item.subscription_id = s.id
                                                and item.article_id = article.id)))
          and not exists (select from former_source former
                            join item on item.subscription_id = former.subscription_id
                                     and item.article_id = article.id
                           where former.source_id = article.source_id)
          and not exists (select from late_delivery where article_id = article.id)
        limit $3
     ), buried as (
       insert into article_tombstone
              (source_id, guid_hash, first_rev, key_hash, unlisted_rev, evidence, guid)
       select source_id, guid_hash, first_rev, key_hash, unlisted_rev, evidence, guid from old
       on conflict (source_id, guid_hash) do update
          set (first_rev, key_hash, unlisted_rev, evidence, guid, buried_at) =
              (excluded.first_rev, excluded.key_hash, excluded.unlisted_rev, excluded.evidence,
               excluded.guid, excluded.buried_at)
     )
     delete from article using old where article.id = old.id returning 1`,
    [sourceIds, keepDays, limit],
  );
  return rows.length;
}

/** Deletes tombstones beyond the latest `keep` of each source, at most `limit`. @returns how many */
export async function deleteTombstones(
  runner: SqlRunner,
  keep: number,
  limit: number,
): Promise<number> {
  const rows = await runner.query(
    `delete from article_tombstone using (
       select source_id, guid_hash from (
         select source_id, guid_hash,
                row_number() over (partition by source_id
                                   order by buried_at desc, guid_hash) as place
           from article_tombstone
          where source_id in (select source_id from article_tombstone
                               group by source_id having count(*) > $1)) ranked
        where place > $1 limit $2) old
      where article_tombstone.source_id = old.source_id
        and article_tombstone.guid_hash = old.guid_hash
     returning 1`,
    [keep, limit],
  );
  return rows.length;
}
