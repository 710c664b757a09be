import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { itemDate } from './item-dates.sql.js';
import type { LockedReader } from './reader-locks.repository.js';

/** The dates of items that were delivered before items had dates. */
@Injectable()
export class ItemDatesRepository {
  constructor(private readonly database: Database) {}

  /** By reader_to_date_index. @returns a user with such items; null when there are none */
  async userToDate(): Promise<string | null> {
    const [reader] = await this.database.query<{ userId: string }>(
      'select user_id as "userId" from reader where not items_dated order by id limit 1',
    );
    return reader?.userId ?? null;
  }

  /**
   * Dates a batch of items with ids above `afterId`. No stamp moves, since clients of the API see no
   * change.
   *
   * @returns the last id of the batch; null when all are dated, which is recorded
   */
  async dateItems(
    tx: SqlRunner,
    reader: LockedReader,
    afterId: number,
    limit: number,
  ): Promise<number | null> {
    const [batch] = await tx.query<{ last: number | null }>(
      `with batch as materialized (
         select item.id, item.article_id, item.date_seconds from item
          where item.reader_id = $1 and item.id > $2 order by item.id limit $3
       ), dated as (
         select batch.id, batch.date_seconds as former,
                case when article.pub_date_seconds > extract(epoch from now())
                     then extract(epoch from article.fetched_at)::integer
                     else ${itemDate('article.pub_date_seconds', '(extract(epoch from now()) * 1000000)')}
                 end as date_seconds
           from batch join article on article.id = batch.article_id
       ), written as (
         update item set date_seconds = dated.date_seconds from dated
          where item.reader_id = $1 and item.id = dated.id and dated.date_seconds <> dated.former
       )
       select max(id) as last from batch`,
      [reader.id, afterId, limit],
    );
    const last = batch?.last ?? null;
    if (last === null) {
      await tx.query('update reader set items_dated = true where id = $1', [reader.id]);
    }
    return last;
  }
}
