import { Injectable } from '@nestjs/common';
import { countUpTo } from '../../../database/count-up-to.js';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { keepEffects } from '../delivery/covered-effects.sql.js';
import { moveStamp } from '../delivery/kept-counts.sql.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';

/** A name that a user gives to items. */
export class LabelEntity extends entityOf('label', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  readerId: p.bigint('number'),
  /** Unique among the reader's labels. */
  name: p.text(),
}) {}

export class ItemLabelEntity extends entityOf('item_label', {
  labelId: p.bigint('number').primary(),
  itemId: p.bigint('number').primary(),
  /** The reader of both the label and the item. */
  readerId: p.bigint('number'),
}) {}

const LABEL = selectList(LabelEntity, 'label', ['id', 'name']);

/** A label and its items, except items of feeds marked for deletion. */
export type Label = RowOf<typeof LABEL> & {
  readonly itemCount: number;
  readonly unreadCount: number;
  /** Arrival of its newest item, unix microseconds; null without items. */
  readonly newestArrivedMicros: number | null;
};

/**
 * CTE after `touched`, which has an `item_id` per item whose labels changed, repeated ones included:
 * stamps the items, and moves the reader's stamp. The reader is `$1`, the stamp `$2`.
 */
const STAMP_TOUCHED = `changed as (
      update item set last_modified_micros = $2
       where reader_id = $1 and id in (select item_id from touched) returning 1
    ), moved as (
      update reader set ${moveStamp('$2')} where id = $1 and exists (select 1 from changed)
    )`;

/** A user's labels and the items that have them. Every change stamps the items whose labels changed. */
@Injectable()
export class LabelsRepository {
  constructor(private readonly database: Database) {}

  /** Sorted by name. Reads every item that has a label. */
  async list(readerId: number): Promise<Label[]> {
    return this.database.query<Label>(
      `select ${LABEL}, coalesce(total.items, 0) as "itemCount",
              coalesce(total.unread, 0) as "unreadCount", total.newest as "newestArrivedMicros"
         from label
         left join (
           select item_label.label_id, count(*)::int as items,
                  (count(*) filter (where item.unread))::int as unread,
                  max(item.arrived_micros) as newest
             from item_label
             join item on item.reader_id = $1 and item.id = item_label.item_id
             join subscription s on s.reader_id = $1 and s.id = item.subscription_id
                                and s.deleted_at is null
            where item_label.reader_id = $1
            group by item_label.label_id) total on total.label_id = label.id
        where label.reader_id = $1
        order by lower(label.name), label.id`,
      [readerId],
    );
  }

  /** Counts no further than `most`. */
  async count(readerId: number, most: number, tx: SqlRunner): Promise<number> {
    return countUpTo(tx, 'label where reader_id = $1', [readerId], most);
  }

  /** Items count once for each of their labels. Counts no further than `most`, by item_label_item_index. */
  async countOnItems(readerId: number, most: number, tx: SqlRunner): Promise<number> {
    return countUpTo(tx, 'item_label where reader_id = $1', [readerId], most);
  }

  /** @returns the name, or null when the reader has no such label */
  async nameOf(readerId: number, labelId: number, tx: Transaction): Promise<string | null> {
    const label = await tx.em.findOne(LabelEntity, { id: labelId, readerId }, { fields: ['name'] });
    return label?.name ?? null;
  }

  /** @returns ids by name; skips unknown names */
  async idsByName(
    readerId: number,
    names: readonly string[],
    tx: SqlRunner,
  ): Promise<Map<string, number>> {
    const labels = await tx.query<RowOf<typeof LABEL>>(
      `select ${LABEL} from label where reader_id = $1 and name = any($2::text[])`,
      [readerId, names],
    );
    return new Map(labels.map(({ id, name }) => [name, id]));
  }

  /** @param names that no label has, each once @returns their ids */
  async create(readerId: number, names: readonly string[], tx: SqlRunner): Promise<number[]> {
    if (names.length === 0) {
      return [];
    }
    const rows = await tx.query<{ id: number }>(
      'insert into label (reader_id, name) select $1, unnest($2::text[]) returning id',
      [readerId, names],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Adds labels to items and removes others from them, and stamps the items that changed. Ignores unknown
   * items, other users' items, and items of feeds marked for deletion.
   *
   * @returns the other items, changed or not
   */
  async changeItems(
    reader: LockedReader,
    itemIds: readonly number[],
    addedIds: readonly number[],
    removedIds: readonly number[],
    tx: SqlRunner,
  ): Promise<number[]> {
    const rows = await tx.query<{ id: number }>(
      `with given as materialized (
         select item.id from item
           join subscription s on s.reader_id = $1 and s.id = item.subscription_id
                              and s.deleted_at is null
          where item.reader_id = $1 and item.id = any($3::bigint[])
       ), added as (
         insert into item_label (reader_id, item_id, label_id)
         select $1, given.id, label.id from given cross join unnest($4::bigint[]) as label (id)
         on conflict do nothing returning item_id
       ), removed as (
         delete from item_label using given
          where item_label.reader_id = $1 and item_label.item_id = given.id
            and item_label.label_id = any($5::bigint[])
         returning item_label.item_id
       ), touched as (
         select item_id from added union select item_id from removed
       ), ${keepEffects('select id from given where id not in (select item_id from touched)')},
       ${STAMP_TOUCHED}
       select id from given`,
      [reader.id, reader.stampMicros, itemIds, addedIds, removedIds],
    );
    return rows.map(({ id }) => id);
  }

  /** The labels of the item with most of them; 0 without items. */
  async mostOfItem(readerId: number, itemIds: readonly number[], tx: SqlRunner): Promise<number> {
    const [row] = await tx.query<{ most: number }>(
      `select coalesce(max(labels), 0)::int as most
         from (select count(*) as labels from item_label
                where reader_id = $1 and item_id = any($2::bigint[]) group by item_id) item`,
      [readerId, itemIds],
    );
    return row?.most ?? 0;
  }

  async rename(
    reader: LockedReader,
    labelId: number,
    name: string,
    tx: Transaction,
  ): Promise<void> {
    await tx.em.nativeUpdate(LabelEntity, { id: labelId, readerId: reader.id }, { name });
    await this.#stampItems(reader, labelId, tx);
  }

  /** Moves the items of a label to another one, and removes it. */
  async merge(
    reader: LockedReader,
    labelId: number,
    intoId: number,
    tx: Transaction,
  ): Promise<void> {
    await tx.query(
      `with touched as (
         delete from item_label where reader_id = $1 and label_id = $3 returning item_id
       ), added as (
         insert into item_label (reader_id, item_id, label_id)
         select $1, item_id, $4 from touched on conflict do nothing
       ), ${STAMP_TOUCHED}
       select`,
      [reader.id, reader.stampMicros, labelId, intoId],
    );
    await tx.em.nativeDelete(LabelEntity, { id: labelId, readerId: reader.id });
  }

  /** @returns the ids of the items that had it, rising */
  async remove(reader: LockedReader, labelId: number, tx: Transaction): Promise<number[]> {
    const itemIds = await this.#stampItems(reader, labelId, tx);
    await tx.em.nativeDelete(LabelEntity, { id: labelId, readerId: reader.id });
    return itemIds;
  }

  /** Stamps the items of a label. @returns their ids, rising */
  async #stampItems(reader: LockedReader, labelId: number, tx: SqlRunner): Promise<number[]> {
    const rows = await tx.query<{ id: number }>(
      `with touched as (
         select item_id from item_label where reader_id = $1 and label_id = $3
       ), ${STAMP_TOUCHED}
       select item_id as id from touched order by item_id`,
      [reader.id, reader.stampMicros, labelId],
    );
    return rows.map(({ id }) => id);
  }
}
