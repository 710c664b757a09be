import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { forOthersToo } from '../../../database/statement-limits.js';
import { itemDate } from './found-changes.sql.js';
import type { Reader } from './reader-ids.repository.js';
import type { LockedReader } from './reader-locks.repository.js';
import { ReadersRepository } from './readers.repository.js';

/** Items per transaction: other changes of the user wait for it. */
const ITEMS_PER_BATCH = 5000;

/** Dates items that were delivered before items had dates: once after an upgrade. */
@Injectable()
export class ItemDatesRepository {
  /** Keyed by user. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly readers: ReadersRepository,
  ) {}

  /** Dates the items of one user after the other. Safe to run twice at the same time. */
  async dateAll(signal?: AbortSignal): Promise<void> {
    for (;;) {
      const reader = await this.#readerToDate();
      if (reader === undefined || signal?.aborted === true) {
        return;
      }
      await this.dateItemsOf(reader, signal);
    }
  }

  /** Concurrently opened lists of one user wait for the same work. */
  async dateItemsOf(reader: Reader, signal?: AbortSignal): Promise<void> {
    const running = this.#running.get(reader.userId);
    if (running !== undefined) {
      return running;
    }
    const started = forOthersToo(() => this.#date(reader, signal)).finally(() =>
      this.#running.delete(reader.userId),
    );
    this.#running.set(reader.userId, started);
    return started;
  }

  async #date(reader: Reader, signal?: AbortSignal): Promise<void> {
    for (let afterId: number | null = 0; afterId !== null;) {
      if (signal?.aborted === true) {
        return;
      }
      const after: number = afterId;
      afterId = await this.readers.change(
        reader,
        (tx, locked) => this.#dateItems(locked, after, tx),
        'upkeep',
      );
    }
  }

  /** Uses reader_to_date_index. @returns a reader with such items; undefined when there are none */
  async #readerToDate(): Promise<Reader | undefined> {
    const [reader] = await this.database.query<Reader>(
      'select user_id as "userId", id from reader where not items_dated order by id limit 1',
    );
    return reader;
  }

  /**
   * Dates a batch of items with ids above `afterId`. No stamp moves, since clients of the API see no
   * change.
   *
   * @returns the last id of the batch; null when all are dated, which is recorded
   */
  async #dateItems(reader: LockedReader, afterId: number, tx: SqlRunner): Promise<number | null> {
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
      [reader.id, afterId, ITEMS_PER_BATCH],
    );
    const last = batch?.last ?? null;
    if (last === null) {
      await tx.query('update reader set items_dated = true where id = $1', [reader.id]);
    }
    return last;
  }
}
