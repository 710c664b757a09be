import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { BY_INDEX } from '../../../database/statement-limits.js';
import { ItemEntity } from '../../tables/item.entity.js';
import { coverEffects } from '../delivery/covered-effects.sql.js';
import { keepCounts } from '../delivery/kept-counts.sql.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import {
  itemConditions,
  NOT_MARKED_FOR_DELETION,
  type ItemSelection,
} from '../items/item-list.sql.js';
import { labelNames } from '../labels/item-labels.sql.js';
import {
  beyond,
  rowList,
  subscriptionConditions,
  withOpenings,
  type Bind,
  type ListedRow,
  type RowPage,
} from './rows.sql.js';

/** The first page of a list, beside its rows. */
interface ListBeginning {
  readonly newestItemId: number;
  /** Whether the items have dates, see `dateItems`. */
  readonly itemsDated: boolean;
  /** Whether tasks start by themselves for new items. */
  readonly isAutomated: boolean;
  /** Items of the list that rules hide, at most `MOST_HIDDEN`. */
  readonly hiddenCount: number;
}

const MOST_HIDDEN = 1000;

const CHANGED = selectList(ItemEntity, 'item', ['id', 'unread', 'starred', 'dateSeconds']);

export type ChangedRow = RowOf<typeof CHANGED> & {
  readonly feedId: number;
  /** Names; null if the reader has no labels. */
  readonly labels: readonly string[] | null;
};

/** Part of a list. */
export interface ListRest extends Omit<RowPage, 'limit'> {
  readonly selection: ItemSelection;
  /** Excludes later items. */
  readonly upToId: number;
}

/** A user's items in the order of their dates, without bodies. */
@Injectable()
export class RowsRepository {
  constructor(private readonly database: Database) {}

  async list(readerId: number, selection: ItemSelection, page: RowPage): Promise<ListedRow[]> {
    const settings = { sql: BY_INDEX, params: [] };
    const [, rows] = await this.database.transactionOf([
      settings,
      rowList(readerId, selection, page),
    ]);
    return rows as ListedRow[];
  }

  /** Items by id, newest first. */
  async ofItems(readerId: number, itemIds: readonly number[]): Promise<ListedRow[]> {
    const picked = 'select * from item where reader_id = $1 and id = any($2::bigint[])';
    return this.database.query<ListedRow>(withOpenings(picked, false), [readerId, itemIds]);
  }

  async beginning(readerId: number, selection: ItemSelection): Promise<ListBeginning> {
    const params: unknown[] = [readerId];
    const bind: Bind = (value) => `$${params.push(value)}`;
    const followed = subscriptionConditions(selection, bind).join(' and ');
    const [row] = await this.database.query<ListBeginning>(
      `select coalesce((select max(id) from item where reader_id = $1), 0) as "newestItemId",
              items_dated as "itemsDated",
              exists (select 1 from automatic_reader
                       where reader_id = $1 and is_on) as "isAutomated",
              (select count(*)::int from (
                 select 1 from item_mark mark
                   join item on item.reader_id = $1 and item.id = mark.item_id and not item.unread
                   join subscription s on s.id = item.subscription_id and ${followed}
                  where mark.reader_id = $1 and mark.hidden
                  limit ${MOST_HIDDEN}) hidden) as "hiddenCount"
         from reader where id = $1`,
      params,
    );
    return row ?? { newestItemId: 0, itemsDated: true, isAutomated: false, hiddenCount: 0 };
  }

  /**
   * Items stamped after `sinceMicros`, the latest changes first, at most `limit`. By
   * item_reader_id_last_modified_micros_index.
   */
  async changedSince(readerId: number, sinceMicros: number, limit: number): Promise<ChangedRow[]> {
    return this.database.query<ChangedRow>(
      `select ${CHANGED}, item.subscription_id as "feedId", ${labelNames('item.id')} as labels
         from item
        where item.reader_id = $1 and item.last_modified_micros > $2 and ${NOT_MARKED_FOR_DELETION}
        order by item.last_modified_micros desc limit $3`,
      [readerId, sinceMicros, limit],
    );
  }

  /**
   * Marks a set of the unread items of a list read, those with ids above `afterId` first. Uses
   * item_unread_index.
   *
   * @returns how many were marked, and the last of them; null when there are no more
   */
  async markRead(
    reader: LockedReader,
    { selection, upToId, ...rest }: ListRest,
    afterId: number,
    limit: number,
    tx: SqlRunner,
  ): Promise<{ readonly marked: number; readonly lastId: number } | null> {
    const params: unknown[] = [reader.id, reader.stampMicros, afterId, upToId, limit];
    const bind: Bind = (value) => `$${params.push(value)}`;
    const listed = [
      'item.id > $3 and item.id <= $4',
      ...itemConditions({ ...selection, unreadOnly: false }, bind).filter(
        (condition) => condition !== 'item.unread',
      ),
      ...beyond(rest, bind),
      `item.subscription_id in (select s.id from subscription s
                                 where ${subscriptionConditions(selection, bind).join(' and ')})`,
    ].join(' and ');
    const [set] = await tx.query<{ marked: number; lastId: number | null }>(
      `with given as materialized (
         select item.id from item
          where item.reader_id = $1 and item.unread and ${listed}
          order by item.id limit $5
       ), changed as (
         update item set unread = false, last_modified_micros = $2 from given
          where item.reader_id = $1 and item.id = given.id
         returning item.id, item.subscription_id, -1 as unread, 0 as starred
       ), ${coverEffects(afterId > 0 ? 'false' : listed)}, ${keepCounts('$1', '$2')}
       select count(*)::int as marked, max(id) as "lastId" from changed`,
      params,
    );
    const lastId = set?.lastId ?? null;
    return lastId === null ? null : { marked: set?.marked ?? 0, lastId };
  }

  /** Marks a set of the items that got one of the stamps, and are read, unread again. @returns how many */
  async markUnread(
    reader: LockedReader,
    stampsMicros: readonly number[],
    limit: number,
    tx: SqlRunner,
  ): Promise<number> {
    const [set] = await tx.query<{ marked: number }>(
      `with given as materialized (
         select item.id from item
          where item.reader_id = $1 and item.last_modified_micros = any($3::bigint[])
            and not item.unread and ${NOT_MARKED_FOR_DELETION}
          limit $4
       ), changed as (
         update item set unread = true, last_modified_micros = $2 from given
          where item.reader_id = $1 and item.id = given.id
         returning item.id, item.subscription_id, 1 as unread, 0 as starred
       ), ${keepCounts('$1', '$2')}
       select count(*)::int as marked from changed`,
      [reader.id, reader.stampMicros, stampsMicros, limit],
    );
    return set?.marked ?? 0;
  }
}
