import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { SourceEntity } from '../../sources/source.entity.js';
import { moveStamp } from '../delivery/kept-counts.sql.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { SubscriptionEntity } from './subscription.entity.js';

const SUBSCRIPTION = selectList(SubscriptionEntity, 's', ['url', 'sourceId', 'fetchEveryHours']);
const SOURCE = selectList(SourceEntity, 'source', ['access', 'givenTo', 'itemRule', 'urlKey']);

/** Where a feed comes from, and how it is fetched. */
export type FeedOrigin = RowOf<typeof SUBSCRIPTION> &
  RowOf<typeof SOURCE> & {
    /** Whether articles of the source are still to be delivered. */
    readonly isBehind: boolean;
    /** Sources that it had before. */
    readonly formerSources: number;
  };

export async function findOrigin(
  runner: SqlRunner,
  readerId: number,
  feedId: number,
): Promise<FeedOrigin | null> {
  const [row] = await runner.query<FeedOrigin>(
    `select ${SUBSCRIPTION}, ${SOURCE}, source.rev > s.delivered_rev as "isBehind",
            s.former_sources as "formerSources"
       from (select s.*, (select count(*)::int from former_source
                           where reader_id = $1 and subscription_id = $2) as former_sources
               from subscription s
              where s.reader_id = $1 and s.id = $2 and s.deleted_at is null offset 0) s
       join source on source.id = s.source_id`,
    [readerId, feedId],
  );
  return row ?? null;
}

/** Only the spelling of the address; the source stays. */
export async function respell(
  tx: SqlRunner,
  readerId: number,
  feedId: number,
  url: string,
): Promise<void> {
  await tx.query('update subscription set url = $3 where reader_id = $1 and id = $2', [
    readerId,
    feedId,
    url,
  ]);
}

/**
 * Gives a feed another source, which the reader must not follow yet. The next delivery begins with
 * what the source lists, and recognises articles that the feed has from its former ones. Items leave
 * the order of articles, since that of two sources is not the same. Costs the items of the feed.
 */
export async function moveToSource(
  tx: SqlRunner,
  reader: LockedReader,
  feedId: number,
  { sourceId, url }: { readonly sourceId: number; readonly url: string },
): Promise<void> {
  await tx.query('delete from late_delivery where subscription_id = $1', [feedId]);
  const returned = await tx.query<{ articleId: number }>(
    `with had as materialized (
       select article_id from item where reader_id = $1 and subscription_id = $2
     )
     select had.article_id as "articleId"
       from had join article on article.id = had.article_id and article.source_id = $3`,
    [reader.id, feedId, sourceId],
  );
  await tx.query(
    `with kept as (
       insert into former_source (reader_id, subscription_id, source_id, delivered_rev, started_rev)
       select $1, s.id, s.source_id, s.delivered_rev, s.started_rev from subscription s
        where s.reader_id = $1 and s.id = $2
          and (s.delivered_rev > 0
               or exists (select 1 from item
                           where item.reader_id = $1 and item.subscription_id = s.id))
       on conflict (reader_id, subscription_id, source_id) do update
          set delivered_rev = greatest(former_source.delivered_rev, excluded.delivered_rev),
              started_rev = least(former_source.started_rev, excluded.started_rev)
     ), returned as (
       -- Changes that this source had meanwhile are not delivered, so all of its items count as changed.
       update item set late = true,
                       last_modified_micros = case when article_id = any($6::bigint[]) then $5
                                                   else last_modified_micros end
        where reader_id = $1 and subscription_id = $2
          and (not late or article_id = any($6::bigint[]))
       returning article_id = any($6::bigint[]) as differs
     ), moved as (
       update reader set ${moveStamp('$5')}
        where id = $1 and exists (select 1 from returned where differs)
     )
     update subscription
        set source_id = $3, url = $4, delivered_rev = -1, started_rev = null, start_unread = null
      where reader_id = $1 and id = $2`,
    [
      reader.id,
      feedId,
      sourceId,
      url,
      reader.stampMicros,
      returned.map(({ articleId }) => articleId),
    ],
  );
}
