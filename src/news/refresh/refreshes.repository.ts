import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import {
  ATTEMPTS_SINCE,
  DATABASE_NOW,
  REFRESH_CANDIDATES,
  type FeedSelection,
  type FinishedFetch,
  type RefreshCandidate,
} from './refreshes.sql.js';

/** Feeds to be refreshed, and the fetches of their sources. */
@Injectable()
export class RefreshesRepository {
  constructor(private readonly database: Database) {}

  /** The database's clock, for `finishedSince`. */
  async now(): Promise<string> {
    const [row] = await this.database.query<{ at: string }>(DATABASE_NOW);
    return row?.at ?? '';
  }

  /**
   * The selected feeds of a user; those that were not fetched for longest come first.
   *
   * @param freshSeconds how long after its last fetch a feed counts as fresh
   */
  async candidates(
    readerId: number,
    selection: FeedSelection,
    freshSeconds: number,
  ): Promise<RefreshCandidate[]> {
    const id =
      'feedId' in selection ? selection.feedId : 'folderId' in selection ? selection.folderId : 0;
    return this.database.query(REFRESH_CANDIDATES, [readerId, freshSeconds, selection.of, id ?? 0]);
  }

  /** The latest fetches of these sources that ended at or after a time. */
  async finishedSince(sourceIds: readonly number[], since: string): Promise<FinishedFetch[]> {
    return this.database.query(ATTEMPTS_SINCE, [sourceIds, since]);
  }
}
