import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import {
  oldestDueSeconds,
  sourceLines,
  sourcePage,
  sourceTotals,
  type SourceLine,
  type SourceSelection,
  type SourceTotals,
} from './source-list.sql.js';

/** Lists of all sources that have followers. Checks no owner: for administrators only. */
@Injectable()
export class SourceListsRepository {
  constructor(private readonly database: Database) {}

  async totals(search: string): Promise<SourceTotals> {
    return sourceTotals(this.database, search);
  }

  /** How long the source that is due the longest has waited; 0 when none is due. */
  async oldestDueSeconds(): Promise<number> {
    return oldestDueSeconds(this.database);
  }

  /** Selects the ids first, so that skipped rows cost no look-up of followers and attempts. */
  async page(selection: SourceSelection): Promise<SourceLine[]> {
    return sourceLines(this.database, await sourcePage(this.database, selection));
  }
}
