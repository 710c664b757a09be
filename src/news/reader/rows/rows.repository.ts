import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { BY_INDEX, type ItemSelection } from '../items/item-list.sql.js';
import {
  findBeginning,
  listChangedRows,
  markSetRead,
  markSetUnread,
  rowList,
  type ChangedRow,
  type ListBeginning,
  type ListedRow,
  type RowPage,
} from './rows.sql.js';

export type { ChangedRow, ListBeginning, ListedRow, ListRest, RowPage } from './rows.sql.js';

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

  async beginning(readerId: number): Promise<ListBeginning> {
    return findBeginning(this.database, readerId);
  }

  /** Items stamped after `sinceMicros`, the latest changes first. */
  async changedSince(readerId: number, sinceMicros: number, limit: number): Promise<ChangedRow[]> {
    return listChangedRows(this.database, readerId, sinceMicros, limit);
  }

  /**
   * Marks a set of the unread items of a list read, those with ids above `afterId` first.
   *
   * @returns null when there are no more
   */
  readonly markRead = markSetRead;
  /** Marks a set of the read items that were last changed with one of the stamps unread. @returns how many */
  readonly markUnread = markSetUnread;
}
