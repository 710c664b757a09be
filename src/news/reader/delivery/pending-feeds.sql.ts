import { passed, type PassedRows } from '../../../database/passed-rows.js';
import { prepared } from '../../../database/prepared.js';

/** What a delivery has to know of the reader's feeds and their sources before it reads articles. */
export const FEEDS = {
  /** Feeds whose source has a newer revision than was delivered. */
  pending: {
    subscription_id: 'bigint',
    source_id: 'bigint',
    delivered_rev: 'bigint',
    rev: 'bigint',
    source_title: 'text',
    has_filter: 'boolean',
    full_text: 'boolean',
    update_mode: 'smallint',
    start_unread: 'integer',
  },
  /** What the publisher lists, for feeds that begin. */
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
  /** Whether any of them shows full texts. */
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
