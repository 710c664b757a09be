import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { dateItems, findReaderToDate } from './item-dates.sql.js';
import type { LockedReader } from './reader-locks.repository.js';

/** The dates of items that were delivered before items had dates. */
@Injectable()
export class ItemDatesRepository {
  constructor(private readonly database: Database) {}

  /** @returns a user with such items; null when there are none */
  async userToDate(): Promise<string | null> {
    return findReaderToDate(this.database);
  }

  /**
   * Dates a batch of items with ids above `afterId`.
   *
   * @returns the last id of the batch; null when all are dated, which is recorded
   */
  async dateItems(
    tx: SqlRunner,
    reader: LockedReader,
    afterId: number,
    limit: number,
  ): Promise<number | null> {
    return dateItems(tx, reader.id, afterId, limit);
  }
}
