import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import {
  attemptsSince,
  databaseNow,
  refreshCandidates,
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
    return databaseNow(this.database);
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
    return refreshCandidates(this.database, readerId, selection, freshSeconds);
  }

  /** The latest fetches of these sources that ended at or after a time. */
  async finishedSince(sourceIds: readonly number[], since: string): Promise<FinishedFetch[]> {
    return attemptsSince(this.database, sourceIds, since);
  }
}
