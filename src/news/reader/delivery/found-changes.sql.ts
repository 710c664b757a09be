import type { SqlRunner } from '../../../database/database.js';
import { given, isEmpty, passed, type PassedRows } from '../../../database/passed-rows.js';
import { prepared, preparedText } from '../../../database/prepared.js';
import type { LockedReader } from './reader-locks.repository.js';

/*
 * The date of an item sorts lists by date. It is the article's date, so that a list is in the order of the
 * dates it shows, but never in the future: such an item would stay at the top.
 */

/**
 * SQL of the date of a new item, unix seconds.
 *
 * @param published SQL of the article's date, unix seconds
 * @param nowMicros SQL of the time of delivery, unix microseconds
 */
export function itemDate(published: string, nowMicros: string): string {
  return `greatest(least(${published}, ${nowMicros}::bigint / 1000000, 2147483647), -2147483648)::integer`;
}

/**
 * SQL of the date of `item` after its article changed. A date in the future does not move it: else each
 * change of such an article would bring it back to the top.
 */
export function changedItemDate(published: string, nowMicros: string): string {
  return `case when ${published} > ${nowMicros}::bigint / 1000000 then item.date_seconds
               else ${itemDate(published, nowMicros)} end`;
}

/** Data on the reader's feeds and their sources that a delivery needs before it reads articles. */
export const FEEDS = {
  /** Feeds whose source has a newer revision than was delivered. */
  pending: {
    subscription_id: 'bigint',
    source_id: 'bigint',
    delivered_rev: 'bigint',
    rev: 'bigint',
    source_title: 'text',
    has_filter: 'boolean',
    has_rules: 'boolean',
    has_stories: 'boolean',
    full_text: 'boolean',
    update_mode: 'smallint',
    start_unread: 'integer',
  },
  /** The publisher's current list, for new feeds. */
  listed: { subscription_id: 'bigint', source_id: 'bigint', article_id: 'bigint' },
  /** Articles that were listed again after the feed had begun without them. */
  late: { subscription_id: 'bigint', source_id: 'bigint', article_id: 'bigint' },
  /** Sources that feeds had before their address was changed. */
  former: {
    subscription_id: 'bigint',
    source_id: 'bigint',
    delivered_rev: 'bigint',
    started_rev: 'bigint',
    is_first: 'boolean',
  },
} as const;

export type PendingFeeds = PassedRows<keyof typeof FEEDS> & {
  /** Whether any of the feeds shows full texts. */
  readonly showsFullText: boolean;
};

/**
 * One statement and therefore one snapshot: each feed's watermark becomes the revision that it saw, so
 * nothing is skipped or delivered twice. Asks the servers of the reader and of the sources, and no
 * articles.
 */
export const FIND_PENDING = prepared(
  'pending-feeds',
  `with feed as materialized (
     select s.id as subscription_id, s.source_id, s.delivered_rev,
            s.full_text or (select exists (select 1 from item_mark mark
                                            where mark.reader_id = $1 and mark.full_text)) as full_text,
            s.update_mode,
            s.start_unread, filter.subscription_id is not null as has_filter,
            (select exists (select 1 from rule where rule.reader_id = $1)) as has_rules,
            (select stories_once from reader where reader.id = $1) as has_stories,
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
   ), listed as materialized (
     select p.subscription_id, p.source_id, unnest(document.article_ids) as article_id
       from pending p join source_document document on document.source_id = p.source_id
      where p.delivered_rev < 0
   ), late as materialized (
     select p.subscription_id, p.source_id, late_delivery.article_id
       from late_delivery join pending p on p.subscription_id = late_delivery.subscription_id
   ), former as materialized (
     select former.subscription_id, former.source_id, former.delivered_rev, former.started_rev,
            p.delivered_rev < 0 as is_first
       from pending p
       join former_source former on former.reader_id = $1
                                and former.subscription_id = p.subscription_id
      where p.has_moved
   )
   select ${passed(FEEDS)},
          (select coalesce(bool_or(full_text), false) from pending) as "showsFullText"`,
);

/** Changes of a reader's items by articles. */
export const CHANGES = {
  /** New items. */
  fresh: {
    id: 'bigint',
    subscription_id: 'bigint',
    article_id: 'bigint',
    late: 'boolean',
    date_seconds: 'integer',
    unread: 'boolean',
  },
  /** Items whose feed now has the article from another source. */
  known_again: {
    item_id: 'bigint',
    article_id: 'bigint',
    differs: 'boolean',
    pub_date_seconds: 'bigint',
  },
  /** Items whose article changed; `is_completed`: only its full text came. */
  changes: {
    subscription_id: 'bigint',
    article_id: 'bigint',
    pub_date_seconds: 'bigint',
    makes_unread: 'boolean',
    is_completed: 'boolean',
  },
} as const;

type FoundChanges = PassedRows<keyof typeof CHANGES>;

/** Whether a feed got an article, or its tombstone, from a `former` source: after it began, or to begin with. */
function wasDelivered(article: string): string {
  return `${article}.first_rev <= former.delivered_rev
                   and (${article}.first_rev > former.started_rev
                        or ${article}.unlisted_rev = 0 or ${article}.unlisted_rev > former.started_rev)`;
}

/** A condition that the article with this alias is of the sources of a part of `FEEDS`. */
type IsOfSources = (part: 'pending' | 'former', article: string) => string;

/** Columns of `arrived`, without the feed. */
const ARRIVED =
  'article.id, article.pub_date_seconds, article.guid_hash, article.content_hash, article.url';

/** New articles, and changes of known ones, since the watermarks; by article_source_id_rev_index. */
const touched = (isOf: IsOfSources) => `touched as materialized (
       select p.subscription_id, p.delivered_rev, p.rev as seen_rev, p.update_mode, article.first_rev,
              article.rev, article.text_rev, ${ARRIVED}
         from pending p
         join article on article.source_id = p.source_id and article.rev > p.delivered_rev
        where p.delivered_rev >= 0 and ${isOf('pending', 'article')}
     )`;

/** A new feed starts with the publisher's current list, not with the archive. */
const begun = (isOf: IsOfSources, hasItems: boolean) => `
       select listed.subscription_id, false, ${ARRIVED}
         from listed join pending p on p.subscription_id = listed.subscription_id
         join article on article.source_id = listed.source_id and article.id = listed.article_id
         ${
           hasItems
             ? `left join had on had.subscription_id = listed.subscription_id
                             and had.article_id = listed.article_id`
             : ''
         }
        where article.first_rev <= p.rev and ${isOf('pending', 'article')}
              ${hasItems ? 'and had.id is null' : ''}`;

const cameLate = (isOf: IsOfSources) => `
       select late.subscription_id, true, ${ARRIVED}
         from late join pending p on p.subscription_id = late.subscription_id
         join article on article.source_id = late.source_id and article.id = late.article_id
         left join had on had.subscription_id = late.subscription_id
                      and had.article_id = late.article_id
        where p.delivered_rev >= 0 and article.first_rev <= p.delivered_rev and had.id is null
          and ${isOf('pending', 'article')}`;

/** Items of feeds that had another source, which articles that arrive may be. */
const itemsOfMoved = (readerId: string) => `
       select p.subscription_id, item.article_id, item.id
         from (select distinct subscription_id from former) p
        cross join lateral (select id, article_id from item
                             where item.reader_id = ${readerId}
                               and item.subscription_id = p.subscription_id offset 0) item`;

const itemsOfLate = (readerId: string) => `
       select late.subscription_id, item.article_id, item.id
         from late
        cross join lateral (select id, article_id from item
                             where item.reader_id = ${readerId}
                               and item.subscription_id = late.subscription_id
                               and item.article_id = late.article_id offset 0) item`;

/**
 * The CTE `known`: articles in `arrived` that a feed had from a source before its address was changed.
 * `item_id` is its item, null where the clean-up removed it; `differs` whether clients must read it
 * again. An article is known by its guid, and right after the change also by a link of its own.
 */
const knownFrom = (isOf: IsOfSources) => `same_guid as materialized (
       select distinct on (arrived.subscription_id, arrived.article_id)
              arrived.subscription_id, arrived.article_id, had.id as item_id,
              old.content_hash <> arrived.content_hash as differs
         from former
         join arrived on arrived.subscription_id = former.subscription_id
         join article old on old.source_id = former.source_id
                         and old.guid_hash = arrived.guid_hash
         left join had on had.subscription_id = former.subscription_id and had.article_id = old.id
                      and not had.merged
        where (had.id is not null or ${wasDelivered('old')}) and ${isOf('former', 'old')}
        order by arrived.subscription_id, arrived.article_id, had.id
     ), same_link as materialized (
       select arrived.subscription_id, min(arrived.article_id) as article_id,
              min(had.id) as item_id, true as differs
         from former
         join arrived on arrived.subscription_id = former.subscription_id
         join had on had.subscription_id = former.subscription_id and not had.merged
         join article old on old.id = had.article_id and old.source_id = former.source_id
                         and old.url = arrived.url
         left join same_guid on same_guid.subscription_id = arrived.subscription_id
                            and (same_guid.article_id = arrived.article_id
                                 or same_guid.item_id = had.id)
        where former.is_first and same_guid.subscription_id is null and ${isOf('former', 'old')}
        group by arrived.subscription_id, arrived.url having count(*) = 1
     ), buried as materialized (
       select arrived.subscription_id, arrived.article_id, null::bigint as item_id, false as differs
         from former
         join arrived on arrived.subscription_id = former.subscription_id
         join article_tombstone grave on grave.source_id = former.source_id
                                     and grave.guid_hash = arrived.guid_hash
        where ${wasDelivered('grave')} and ${isOf('former', 'grave')}
     ), known as materialized (
       select * from same_guid union all select * from same_link union all select * from buried
     )`;

const NOTHING_KNOWN = `known as materialized (
       select 0::bigint as subscription_id, 0::bigint as article_id, 0::bigint as item_id,
              false as differs where false
     )`;

const FRESH = `fresh as materialized (
       -- Article ids of one source rise with its fetches, and within a fetch the publisher's newest
       -- entry has the highest: items of a feed keep that order.
       select $1::bigint + row_number() over (order by article_id, subscription_id) - 1 as id,
              subscription_id, article_id, late,
              ${itemDate('pub_date_seconds', '$2')} as date_seconds,
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
     ), known_again as materialized (
       select known.item_id, known.article_id, known.differs, arrived.pub_date_seconds
         from known join arrived on arrived.subscription_id = known.subscription_id
                                and arrived.article_id = known.article_id
        where known.item_id is not null
     )`;

const CHANGED = `
       select subscription_id, id as article_id, pub_date_seconds, 
              update_mode = 1 and coalesce(text_rev, rev) > delivered_rev as makes_unread,
              false as is_completed
         from touched where first_rev <= delivered_rev and rev <= seen_rev`;

/** The full text came after the article: a change only for feeds and items that show it. */
const completed = (isOf: IsOfSources) => `
       select p.subscription_id, article.id, article.pub_date_seconds, false, true
         from pending p
         join article on article.source_id = p.source_id and article.full_text_rev > p.delivered_rev
        where p.full_text and article.first_rev <= p.delivered_rev
          and article.rev <= p.delivered_rev and article.full_text_rev <= p.rev
          and ${isOf('pending', 'article')}`;

/**
 * Changes by articles of pending feeds. The articles are read a moment later than the revisions, and maybe
 * on other servers: articles newer than the revisions are left for the next delivery. Costs the articles
 * since the watermarks.
 *
 * @param areApart whether articles are distributed by source. Then the statement names the sources, so that
 *   only their shards are asked; on one server the planner would rather read all articles of these sources
 *   than find the new ones by their revision
 */
export async function findChanges(
  reader: LockedReader,
  feeds: PendingFeeds,
  areApart: boolean,
  tx: SqlRunner,
): Promise<FoundChanges | undefined> {
  const params: unknown[] = [reader.nextItemId, reader.stampMicros];
  const give = (part: keyof typeof FEEDS) => {
    const rows = given(part, FEEDS[part], params.length + 1);
    params.push(...feeds[part]);
    return rows;
  };
  const sourcesOf = { pending: 0, former: 0 };
  const isOf: IsOfSources = (part, article) =>
    areApart ? `${article}.source_id = any($${sourcesOf[part]}::bigint[])` : 'true';
  const begins = !isEmpty(feeds.listed);
  const isLate = !isEmpty(feeds.late);
  const hasMoved = !isEmpty(feeds.former);

  const parts = [];
  sourcesOf.pending = params.length + SOURCE_COLUMN;
  parts.push(give('pending'));
  if (begins) {
    parts.push(give('listed'));
  }
  if (isLate) {
    parts.push(give('late'));
  }
  if (hasMoved) {
    sourcesOf.former = params.length + SOURCE_COLUMN;
    parts.push(give('former'));
  }
  if (hasMoved || isLate) {
    const readerId = `$${params.push(reader.id)}`;
    const items = [
      ...(hasMoved ? [itemsOfMoved(readerId)] : []),
      ...(isLate ? [itemsOfLate(readerId)] : []),
    ];
    parts.push(`had as materialized (
       select had.*, coalesce(mark.merged, false) as merged
         from (${items.join(' union ')}) had
         left join item_mark mark on mark.reader_id = ${readerId} and mark.item_id = had.id
     )`);
  }
  const arrived = [
    `select subscription_id, false, id, pub_date_seconds, guid_hash, content_hash, url
       from touched where first_rev > delivered_rev and first_rev <= seen_rev`,
    ...(begins ? [begun(isOf, hasMoved || isLate)] : []),
    ...(isLate ? [cameLate(isOf)] : []),
  ];
  parts.push(
    touched(isOf),
    `arrived (subscription_id, late, article_id, pub_date_seconds, guid_hash, content_hash, url)
       as materialized (${arrived.join(' union all ')})`,
    hasMoved ? knownFrom(isOf) : NOTHING_KNOWN,
    FRESH,
    `changes as materialized (${CHANGED} ${feeds.showsFullText ? `union all ${completed(isOf)}` : ''})`,
  );
  const sql = `with ${parts.join(', ')} select ${passed(CHANGES)}`;
  const isUsual = !areApart && !begins && !isLate && !hasMoved;
  const [changes] = await tx.query<FoundChanges>(isUsual ? preparedText(sql) : sql, params);
  return changes;
}

/** The place of `source_id` among the columns of `FEEDS`, from 1. */
const SOURCE_COLUMN = 2;
