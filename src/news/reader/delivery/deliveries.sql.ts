import type { SqlRunner } from '../../../database/database.js';
import type { FilterCandidate } from '../../filters/filters.sql.js';
import { recordItemEvents } from '../../events/item-events.sql.js';
import { changedItemDate, itemDate } from './item-dates.sql.js';
import { moveStamp } from './kept-counts.sql.js';
import type { LockedReader } from './reader-locks.repository.js';

/** Whether a feed got an article, or its tombstone, from a `former` source: after it began, or to begin with. */
function wasDelivered(article: string): string {
  return `${article}.first_rev <= former.delivered_rev
                   and (${article}.first_rev > former.started_rev
                        or ${article}.unlisted_rev = 0 or ${article}.unlisted_rev > former.started_rev)`;
}

/**
 * The CTE `known`: articles in `arrived` that a feed had from a source before its address was changed.
 * `item_id` is its item, null where the clean-up removed it; `differs` whether clients must read it
 * again. An article is known by its guid, and right after the change also by a link of its own.
 */
const FROM_FORMER_SOURCES = `same_guid as (
       select distinct on (arrived.subscription_id, arrived.article_id)
              arrived.subscription_id, arrived.article_id, item.id as item_id,
              old.content_hash <> article.content_hash as differs
         from pending p
         join arrived on arrived.subscription_id = p.subscription_id
         join article on article.id = arrived.article_id
         join former_source former on former.reader_id = $1
                                 and former.subscription_id = p.subscription_id
         join article old on old.source_id = former.source_id
                         and old.guid_hash = article.guid_hash
         left join item on item.reader_id = $1 and item.subscription_id = p.subscription_id and item.article_id = old.id
        where p.has_moved
          and (item.id is not null
               or ${wasDelivered('old')})
        order by arrived.subscription_id, arrived.article_id, item.id
     ), same_link as (
       select arrived.subscription_id, min(arrived.article_id) as article_id,
              min(item.id) as item_id, true as differs
         from pending p
         join arrived on arrived.subscription_id = p.subscription_id
         join article on article.id = arrived.article_id
         join former_source former on former.reader_id = $1
                                 and former.subscription_id = p.subscription_id
         join item on item.reader_id = $1 and item.subscription_id = p.subscription_id
         join article old on old.id = item.article_id and old.source_id = former.source_id
                         and old.url = article.url
        where p.has_moved and p.delivered_rev < 0
          and not exists (select from same_guid
                           where same_guid.subscription_id = arrived.subscription_id
                             and (same_guid.article_id = arrived.article_id
                                  or same_guid.item_id = item.id))
        group by arrived.subscription_id, article.url having count(*) = 1
     ), buried as (
       select arrived.subscription_id, arrived.article_id, null::bigint as item_id, false as differs
         from pending p
         join arrived on arrived.subscription_id = p.subscription_id
         join article on article.id = arrived.article_id
         join former_source former on former.reader_id = $1
                                 and former.subscription_id = p.subscription_id
         join article_tombstone grave on grave.source_id = former.source_id
                                     and grave.guid_hash = article.guid_hash
        where p.has_moved
          and ${wasDelivered('grave')}
     ), known as (
       select * from same_guid union all select * from same_link union all select * from buried
     )`;

/**
 * Makes items of everything that is pending for a reader, and stamps items whose article changed.
 * One statement and therefore one snapshot: each subscription's watermark becomes the revision that
 * this snapshot saw, so nothing is skipped or delivered twice. Costs the articles since the watermark.
 *
 * @returns the items that a filter must still see
 */
export async function deliverPending(
  tx: SqlRunner,
  reader: LockedReader,
): Promise<FilterCandidate[]> {
  return tx.query<FilterCandidate>(
    `with pending as (
       select s.id as subscription_id, s.delivered_rev, source.id as source_id, source.rev,
              source.title as source_title, s.full_text, s.update_mode, s.start_unread,
              filter.subscription_id is not null as has_filter,
              exists (select from former_source former
                       where former.reader_id = $1
                         and former.subscription_id = s.id) as has_moved
         from subscription s join source on source.id = s.source_id
         left join subscription_filter filter on filter.reader_id = $1
                                             and filter.subscription_id = s.id
        where s.reader_id = $1 and source.rev > s.delivered_rev and s.deleted_at is null
     ), late as (
       delete from late_delivery using pending p
        where late_delivery.subscription_id = p.subscription_id
       returning late_delivery.subscription_id, late_delivery.article_id
     ), arrived as (
       select p.subscription_id, article.id as article_id, article.pub_date_seconds, false as late
         from pending p
         join article on article.source_id = p.source_id and article.rev > p.delivered_rev
        where article.first_rev > p.delivered_rev
          -- A new subscription starts with the publisher's current list, not with the archive.
          and (p.delivered_rev >= 0
               or (article.id in (select unnest(article_ids) from source_document
                                   where source_document.source_id = p.source_id)
                   and not (p.has_moved
                            and exists (select from item
                                         where item.reader_id = $1
                                           and item.subscription_id = p.subscription_id
                                           and item.article_id = article.id))))
        union all
       -- Articles that were listed again after the feed had started without them.
       select p.subscription_id, article.id, article.pub_date_seconds, true
         from late join article on article.id = late.article_id
         join pending p on p.subscription_id = late.subscription_id
        where (article.first_rev <= p.delivered_rev and p.delivered_rev >= 0)
          and not exists (select from item where item.reader_id = $1
                                             and item.subscription_id = late.subscription_id
                                             and item.article_id = late.article_id)
     ), ${FROM_FORMER_SOURCES}, fresh as (
       -- Article ids of one source rise with its fetches, and within a fetch the publisher's newest
       -- entry has the highest: items of a feed keep that order.
       select $2::bigint + row_number() over (order by article_id, subscription_id) - 1 as id,
              subscription_id, article_id, late,
              ${itemDate('pub_date_seconds', '$3')} as date_seconds,
              -- A new feed may begin with its newest items unread only.
              p.start_unread is null
                or p.start_unread >= row_number() over (
                     partition by subscription_id
                         order by case when p.start_unread is not null then pub_date_seconds end desc,
                                  article_id desc) as unread
         from arrived join pending p using (subscription_id)
        where not exists (select from known
                           where known.subscription_id = arrived.subscription_id
                             and known.article_id = arrived.article_id)
     ), inserted as (
       insert into item (reader_id, id, subscription_id, article_id, last_modified_micros, unread, late,
                         date_seconds, arrived_micros)
       select $1, id, subscription_id, article_id, $3, unread, late, date_seconds, $3
         from fresh order by id
       returning id, subscription_id, article_id, unread
     ), followed as (
       update item set article_id = known.article_id,
                       last_modified_micros = case when known.differs then $3
                                                   else item.last_modified_micros end,
                       date_seconds = ${changedItemDate('arrived.pub_date_seconds', '$3')}
         from known join arrived on arrived.subscription_id = known.subscription_id
                                and arrived.article_id = known.article_id
        where item.reader_id = $1 and item.id = known.item_id
       returning known.differs
     ), changes as (
       select p.subscription_id, article.id as article_id, article.pub_date_seconds,
              p.update_mode = 1 as makes_unread
         from pending p
         join article on article.source_id = p.source_id and article.rev > p.delivered_rev
        where article.first_rev <= p.delivered_rev
        union all
       -- The full text came after the article: a change only for feeds that show it.
       select p.subscription_id, article.id, article.pub_date_seconds, false
         from pending p
         join article on article.source_id = p.source_id and article.full_text_rev > p.delivered_rev
        where p.full_text and article.first_rev <= p.delivered_rev
          and article.rev <= p.delivered_rev
     ), changed as (
       update item set last_modified_micros = $3,
                       -- Only its filter makes a filtered item unread again.
                       unread = item.unread or (changes.makes_unread and not item.filtered),
                       date_seconds = ${changedItemDate('changes.pub_date_seconds', '$3')}
         from changes join item former on former.reader_id = $1
                                      and former.subscription_id = changes.subscription_id
                                      and former.article_id = changes.article_id
        where item.reader_id = $1 and item.id = former.id
       returning item.id, item.subscription_id, item.article_id,
                 item.unread and not former.unread as became_unread
     ), gained as (
       select subscription_id, count(*) as unread
         from (select subscription_id from inserted where unread
               union all select subscription_id from changed where became_unread) one
        group by subscription_id
     ), marked as (
       update subscription
          set delivered_rev = p.rev, start_unread = null,
              unread_count = subscription.unread_count + coalesce(gained.unread, 0),
              started_rev = case when p.delivered_rev < 0 then p.rev
                                 else subscription.started_rev end,
              -- An import names feeds before their first fetch. A name that turns out to be the
              -- publisher's is dropped, so that the feed follows later titles.
              title = case when p.delivered_rev = 0 then nullif(subscription.title, p.source_title)
                           else subscription.title end
         from pending p left join gained on gained.subscription_id = p.subscription_id
        where subscription.reader_id = $1 and subscription.id = p.subscription_id
     ), moved as (
       update reader
          set next_item_id = next_item_id + (select count(*) from inserted),
              ${moveStamp('$3')}
        where id = $1 and (exists (select from inserted) or exists (select from changed)
                           or exists (select from followed where differs))
     ), ${recordItemEvents(
       '$1',
       `select id, 'ItemsDeliveredEvent' as subtype from inserted
         union all select id, 'ItemsUnreadEvent' from changed where became_unread`,
     )}
     select touched.id as "itemId", touched.subscription_id as "subscriptionId",
            touched.article_id as "articleId"
       from (select id, subscription_id, article_id from inserted
             union all select id, subscription_id, article_id from changed) touched
       join pending p on p.subscription_id = touched.subscription_id and p.has_filter`,
    [reader.id, reader.nextItemId, reader.stampMicros],
  );
}
