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
              arrived.subscription_id, arrived.article_id, had.id as item_id,
              old.content_hash <> article.content_hash as differs
         from former
         join arrived on arrived.subscription_id = former.subscription_id
         join article on article.id = arrived.article_id
         join article old on old.source_id = former.source_id
                         and old.guid_hash = article.guid_hash
         left join had on had.subscription_id = former.subscription_id and had.article_id = old.id
        where had.id is not null
           or ${wasDelivered('old')}
        order by arrived.subscription_id, arrived.article_id, had.id
     ), same_link as (
       select arrived.subscription_id, min(arrived.article_id) as article_id,
              min(had.id) as item_id, true as differs
         from former
         join arrived on arrived.subscription_id = former.subscription_id
         join article on article.id = arrived.article_id
         join had on had.subscription_id = former.subscription_id
         join article old on old.id = had.article_id and old.source_id = former.source_id
                         and old.url = article.url
        where former.is_first
          and not exists (select 1 from same_guid
                           where same_guid.subscription_id = arrived.subscription_id
                             and (same_guid.article_id = arrived.article_id
                                  or same_guid.item_id = had.id))
        group by arrived.subscription_id, article.url having count(*) = 1
     ), buried as (
       select arrived.subscription_id, arrived.article_id, null::bigint as item_id, false as differs
         from former
         join arrived on arrived.subscription_id = former.subscription_id
         join article on article.id = arrived.article_id
         join article_tombstone grave on grave.source_id = former.source_id
                                     and grave.guid_hash = article.guid_hash
        where ${wasDelivered('grave')}
     ), known as (
       select * from same_guid union all select * from same_link union all select * from buried
     )`;

/**
 * What `READ` finds and `WRITE` writes, as arrays of columns. They pass through as text, which nobody
 * decodes on the way.
 */
const WORK = {
  pending: {
    subscription_id: 'bigint',
    delivered_rev: 'bigint',
    rev: 'bigint',
    source_title: 'text',
    has_filter: 'boolean',
  },
  fresh: {
    id: 'bigint',
    subscription_id: 'bigint',
    article_id: 'bigint',
    late: 'boolean',
    date_seconds: 'integer',
    unread: 'boolean',
  },
  known_again: {
    item_id: 'bigint',
    article_id: 'bigint',
    differs: 'boolean',
    pub_date_seconds: 'bigint',
  },
  changes: {
    subscription_id: 'bigint',
    article_id: 'bigint',
    pub_date_seconds: 'bigint',
    makes_unread: 'boolean',
  },
  late: { subscription_id: 'bigint', article_id: 'bigint' },
} as const;
type Part = keyof typeof WORK;

/** SQL of the columns of a CTE as one array of texts. */
const collected = (part: Part) =>
  `(select array[${Object.keys(WORK[part])
    .map((column) => `coalesce(array_agg(${column})::text, '{}')`)
    .join(', ')}] from ${part}) as ${part}`;

/** SQL of the rows of `collected`, from parameters beginning with the one of this number. */
const given = (part: Part, first: number) =>
  `${part} as materialized (
       select * from unnest(${Object.values(WORK[part])
         .map((type, n) => `$${first + n}::${type}[]`)
         .join(', ')}) as given (${Object.keys(WORK[part]).join(', ')})
     )`;

type PendingWork = Readonly<Record<Part, readonly string[]>>;
const NOTHING = '{}';

/**
 * What is pending for a reader. One statement and therefore one snapshot: each subscription's watermark
 * becomes the revision that this snapshot saw, so nothing is skipped or delivered twice. Where the
 * articles are read a moment later than the revisions, as on several servers, later articles are left
 * for the next delivery. Costs the articles since the watermark.
 */
const READ = `
     with feed as materialized (
       select s.id as subscription_id, s.source_id, s.delivered_rev, s.full_text, s.update_mode,
              s.start_unread, filter.subscription_id is not null as has_filter,
              exists (select 1 from former_source former
                       where former.reader_id = $1
                         and former.subscription_id = s.id) as has_moved
         from subscription s
         left join subscription_filter filter on filter.reader_id = $1
                                             and filter.subscription_id = s.id
        where s.reader_id = $1 and s.deleted_at is null
     ), pending as materialized (
       select feed.*, source.rev, source.title as source_title
         from feed join source on source.id = feed.source_id
        where source.rev > feed.delivered_rev
     ), late as materialized (
       select late_delivery.subscription_id, late_delivery.article_id
         from late_delivery join pending p on p.subscription_id = late_delivery.subscription_id
     ), former as materialized (
       select former.subscription_id, former.source_id, former.delivered_rev, former.started_rev,
              p.delivered_rev < 0 as is_first
         from pending p
         join former_source former on former.reader_id = $1
                                  and former.subscription_id = p.subscription_id
        where p.has_moved
     ), had as materialized (
       -- Items that articles which arrive now may be.
       select p.subscription_id, item.article_id, item.id
         from (select distinct subscription_id from former) p
        cross join lateral (select id, article_id from item
                             where item.reader_id = $1
                               and item.subscription_id = p.subscription_id offset 0) item
        union
       select late.subscription_id, item.article_id, item.id
         from late
        cross join lateral (select id, article_id from item
                             where item.reader_id = $1
                               and item.subscription_id = late.subscription_id
                               and item.article_id = late.article_id offset 0) item
     ), arrived as materialized (
       select p.subscription_id, article.id as article_id, article.pub_date_seconds, false as late
         from pending p
         join article on article.source_id = p.source_id and article.rev > p.delivered_rev
        where article.first_rev > p.delivered_rev and article.first_rev <= p.rev
          -- A new subscription starts with the publisher's current list, not with the archive.
          and (p.delivered_rev >= 0
               or (article.id in (select unnest(article_ids) from source_document
                                   where source_document.source_id = p.source_id)
                   and not (p.has_moved
                            and exists (select 1 from had
                                         where had.subscription_id = p.subscription_id
                                           and had.article_id = article.id))))
        union all
       -- Articles that were listed again after the feed had started without them.
       select p.subscription_id, article.id, article.pub_date_seconds, true
         from late join article on article.id = late.article_id
         join pending p on p.subscription_id = late.subscription_id
        where (article.first_rev <= p.delivered_rev and p.delivered_rev >= 0)
          and not exists (select 1 from had where had.subscription_id = late.subscription_id
                                            and had.article_id = late.article_id)
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
        where not exists (select 1 from known
                           where known.subscription_id = arrived.subscription_id
                             and known.article_id = arrived.article_id)
     ), known_again as (
       select known.item_id, known.article_id, known.differs, arrived.pub_date_seconds
         from known join arrived on arrived.subscription_id = known.subscription_id
                                and arrived.article_id = known.article_id
        where known.item_id is not null
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
     )
     select ${(Object.keys(WORK) as Part[]).map(collected).join(', ')}`;

/** Writes rows of the reader only. */
const WRITE = `
     with ${given('pending', 3)}, ${given('fresh', 8)}, ${given('known_again', 14)},
     ${given('changes', 18)}, inserted as (
       insert into item (reader_id, id, subscription_id, article_id, last_modified_micros, unread, late,
                         date_seconds, arrived_micros)
       select $1, id, subscription_id, article_id, $2, unread, late, date_seconds, $2
         from fresh order by id
       returning id, subscription_id, article_id, unread
     ), followed as (
       update item set article_id = known_again.article_id,
                       last_modified_micros = case when known_again.differs then $2
                                                   else item.last_modified_micros end,
                       date_seconds = ${changedItemDate('known_again.pub_date_seconds', '$2')}
         from known_again
        where item.reader_id = $1 and item.id = known_again.item_id
       returning known_again.differs
     ), changed as (
       update item set last_modified_micros = $2,
                       -- Only its filter makes a filtered item unread again.
                       unread = item.unread or (changes.makes_unread and not item.filtered),
                       date_seconds = ${changedItemDate('changes.pub_date_seconds', '$2')}
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
              ${moveStamp('$2')}
        where id = $1 and (exists (select 1 from inserted) or exists (select 1 from changed)
                           or exists (select 1 from followed where differs))
     ), ${recordItemEvents(
       '$1',
       `select id, 'ItemsDeliveredEvent' as subtype from inserted
         union all select id, 'ItemsUnreadEvent' from changed where became_unread`,
     )}
     select touched.id as "itemId", touched.subscription_id as "subscriptionId",
            touched.article_id as "articleId"
       from (select id, subscription_id, article_id from inserted
             union all select id, subscription_id, article_id from changed) touched
       join pending p on p.subscription_id = touched.subscription_id and p.has_filter`;

/**
 * Makes items of everything that is pending for a reader, and stamps items whose article changed: reads
 * what there is to do, and writes it to the reader's rows, which nobody else changes meanwhile.
 *
 * @returns the items that a filter must still see
 */
export async function deliverPending(
  tx: SqlRunner,
  reader: LockedReader,
): Promise<FilterCandidate[]> {
  const [work] = await tx.query<PendingWork>(READ, [
    reader.id,
    reader.nextItemId,
    reader.stampMicros,
  ]);
  if (work === undefined || work.pending[0] === NOTHING) {
    return [];
  }
  if (work.late[0] !== NOTHING) {
    await tx.query(
      `delete from late_delivery using unnest($1::bigint[], $2::bigint[])
                                  as late (subscription_id, article_id)
        where late_delivery.subscription_id = late.subscription_id
          and late_delivery.article_id = late.article_id`,
      work.late,
    );
  }
  return tx.query<FilterCandidate>(WRITE, [
    reader.id,
    reader.stampMicros,
    ...work.pending,
    ...work.fresh,
    ...work.known_again,
    ...work.changes,
  ]);
}
