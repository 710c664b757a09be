import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../database/database.js';
import {
  given,
  isEmpty,
  unnested,
  type PassedColumns,
  type PassedRows,
} from '../../../database/passed-rows.js';
import { prepared } from '../../../database/prepared.js';
import { Topology } from '../../../database/topology.js';
import {
  CHANGES,
  findChanges,
  FEEDS,
  FIND_PENDING,
  changedItemDate,
  type PendingFeeds,
} from './found-changes.sql.js';
import { doAppsListen, recordItemEvents } from './item-events.sql.js';
import { moveStamp } from './kept-counts.sql.js';
import type { LockedReader } from './reader-locks.repository.js';

/** An item that was just delivered, new or changed. */
export interface DeliveredItem {
  readonly itemId: number;
  readonly subscriptionId: number;
  readonly articleId: number;
  /** Its stamp before the article changed; null for a new item. */
  readonly formerMicros: number | null;
  /** New to a feed that had begun, and not late: not of the first document, also of a changed address. */
  readonly isNews: boolean;
  /** Its article changed in a way that makes it unread, unless it is filtered. */
  readonly makesUnread: boolean;
  /** Only its full text came. */
  readonly isCompleted: boolean;
  /** Whether its feed has a keyword filter. */
  readonly hasFilter: boolean;
  /** Whether its reader has rules. */
  readonly hasRules: boolean;
}

/**
 * Work on items that were just delivered, in the same transaction, so that no client sees them before it.
 * Those of readers without rules and stories are given only if their feed has a filter.
 */
type DeliveryStep = (
  tx: SqlRunner,
  reader: LockedReader,
  delivered: readonly DeliveredItem[],
) => Promise<void>;

/** In the order of the work: rules see what a filter marked, and stories what these did. */
const STEPS = ['filters', 'rules', 'stories'] as const;

/** Feeds that a reader leaves: one, or those of a folder. */
export type LeftFeeds = { readonly feedId: number } | { readonly folderId: number };

type LeavingStep = (tx: SqlRunner, reader: LockedReader, left: LeftFeeds) => Promise<void>;

/** The rows to write, in the order of the parameters, which begin with the reader's id and stamp. */
const PARTS: readonly (readonly [string, PassedColumns])[] = Object.entries({
  pending: FEEDS.pending,
  ...CHANGES,
});
const firstOf = (part: number) =>
  PARTS.slice(0, part).reduce((sum, [, columns]) => sum + Object.keys(columns).length, 3);

const ITEM = `item (reader_id, id, subscription_id, article_id, last_modified_micros, unread, late,
                         date_seconds, arrived_micros)`;

/** The found rows, as CTEs. */
const FOUND = PARTS.map(([part, columns], n) => given(part, columns, firstOf(n))).join(', ');

/**
 * Writes rows of the reader only.
 *
 * @param inserted CTE of the new items
 * @param others further CTEs
 */
const writing = (inserted: string, others: string) => `
     with ${FOUND}, inserted as (${inserted}), followed as (
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
                                      and (not changes.is_completed
                                           or exists (select 1 from subscription s
                                                       where s.reader_id = $1 and s.full_text
                                                         and s.id = former.subscription_id)
                                           or exists (select 1 from item_mark mark
                                                       where mark.reader_id = $1 and mark.full_text
                                                         and mark.item_id = former.id))
        where item.reader_id = $1 and item.id = former.id
       returning item.id, item.subscription_id, item.article_id, changes.is_completed, changes.makes_unread,
                 former.last_modified_micros as former_micros,
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
     )${others}
     select touched.id as "itemId", touched.subscription_id as "subscriptionId",
            touched.article_id as "articleId", touched.former_micros as "formerMicros",
            touched.is_new and p.delivered_rev > 0 as "isNews",
            touched.makes_unread as "makesUnread", touched.is_completed as "isCompleted",
             p.has_filter as "hasFilter", p.has_rules as "hasRules"
       from (select id, subscription_id, article_id, null::bigint as former_micros,
                    not late as is_new, false as makes_unread, false as is_completed from inserted
             union all
             select id, subscription_id, article_id, former_micros, false, makes_unread, is_completed
               from changed) touched
       join pending p on p.subscription_id = touched.subscription_id
                     and (p.has_filter or p.has_rules or p.has_stories)`;

const WRITE = prepared(
  'write-delivery',
  writing(
    `
       insert into ${ITEM}
       select $1, id, subscription_id, article_id, $2, unread, late, date_seconds, $2
         from fresh order by id
       returning id, subscription_id, article_id, unread, late
     `,
    `, ${recordItemEvents(
      '$1',
      `select id, 'ItemsDeliveredEvent' as subtype from inserted
         union all select id, 'ItemsUnreadEvent' from changed where became_unread`,
    )}`,
  ),
);

/*
 * Two statements for one worker of a cluster. A statement that inserts in a CTE copies its other CTEs to
 * all workers, and fails when any of them is down.
 */

const INSERT_ON_ONE_WORKER = `
     insert into ${ITEM}
     select reader.id, fresh.id, subscription_id, article_id, $2::bigint, unread, late, date_seconds, $2::bigint
       from reader
      cross join ${unnested('fresh', CHANGES.fresh, 3)}
      where reader.id = $1`;

const WRITE_ON_ONE_WORKER = writing(
  'select id, subscription_id, article_id, unread, late from fresh',
  '',
);

/** Makes items of new and changed articles for the users who follow their sources. */
@Injectable()
export class DeliveriesRepository {
  readonly #steps = new Map<(typeof STEPS)[number], DeliveryStep>();
  #leaving: LeavingStep | undefined;

  constructor(private readonly topology: Topology) {}

  carryOut(name: (typeof STEPS)[number], step: DeliveryStep): void {
    this.#steps.set(name, step);
  }

  onLeaving(step: LeavingStep): void {
    this.#leaving = step;
  }

  /** Call before feeds of a reader are removed or hidden, in the same transaction. */
  async leave(reader: LockedReader, left: LeftFeeds, tx: SqlRunner): Promise<void> {
    await this.#leaving?.(tx, reader, left);
  }

  /**
   * Delivers everything that is pending, and applies filters and rules in the same transaction.
   * `reader` proves that the caller holds the lock.
   */
  async deliver(reader: LockedReader, tx: SqlRunner): Promise<void> {
    const delivered = await this.#deliver(reader, tx);
    for (const name of delivered.length === 0 ? [] : STEPS) {
      await this.#steps.get(name)?.(tx, reader, delivered);
    }
  }

  /** Stamps items as changed, and carries out rules as if their full text had come. */
  async reconsider(reader: LockedReader, itemIds: readonly number[], tx: SqlRunner): Promise<void> {
    const items = await tx.query<DeliveredItem>(
      `with former as materialized (
         select id, last_modified_micros from item where reader_id = $1 and id = any($3::bigint[])
       ), changed as (
         update item set last_modified_micros = $2 from former
          where item.reader_id = $1 and item.id = former.id
         returning item.id, item.subscription_id, item.article_id, former.last_modified_micros
       ), moved as (
         update reader set ${moveStamp('$2')} where id = $1 and exists (select 1 from changed)
       )
       select id as "itemId", subscription_id as "subscriptionId", article_id as "articleId",
              last_modified_micros as "formerMicros", false as "isNews", false as "makesUnread",
              true as "isCompleted", false as "hasFilter", true as "hasRules"
         from changed`,
      [reader.id, reader.stampMicros, itemIds],
    );
    await this.#steps.get('rules')?.(tx, reader, items);
  }

  /**
   * Makes items of everything that is pending for a reader, and stamps items whose article changed: reads
   * the changes, and writes them to the reader's rows, which are locked.
   *
   * @returns items for the steps
   */
  async #deliver(reader: LockedReader, tx: SqlRunner): Promise<DeliveredItem[]> {
    const areApart = await this.topology.isDistributed(tx);
    const [feeds] = await tx.query<PendingFeeds>(FIND_PENDING, [reader.id]);
    if (feeds === undefined || isEmpty(feeds.pending)) {
      return [];
    }
    const changes = await findChanges(reader, feeds, areApart, tx);
    if (changes === undefined) {
      return [];
    }
    if (!isEmpty(feeds.late)) {
      const [subscriptionIds, , articleIds] = feeds.late;
      await tx.query(
        `delete from late_delivery using unnest($1::bigint[], $2::bigint[])
                                    as late (subscription_id, article_id)
          where late_delivery.subscription_id = late.subscription_id
            and late_delivery.article_id = late.article_id`,
        [subscriptionIds, articleIds],
      );
    }
    const rows: PassedRows = { pending: feeds.pending, ...changes };
    const params = [reader.id, reader.stampMicros, ...PARTS.flatMap(([part]) => rows[part] ?? [])];
    if (!areApart || (await doAppsListen(tx))) {
      return tx.query<DeliveredItem>(WRITE, params);
    }
    if (!isEmpty(changes.fresh)) {
      await tx.query(INSERT_ON_ONE_WORKER, [reader.id, reader.stampMicros, ...changes.fresh]);
    }
    return tx.query<DeliveredItem>(WRITE_ON_ONE_WORKER, params);
  }
}
