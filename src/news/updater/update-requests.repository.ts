import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Database } from '../../database/database.js';
import { ReaderIds } from '../reader/delivery/reader-ids.repository.js';
import { leaseOf } from '../sources/schedule/claim.sql.js';
import {
  BEGIN_UPDATE,
  FIND_FEED,
  NOTE_REQUEST,
  PROCESS,
  type RequestedFeed,
  type RequestRow,
  type UpdateRequest,
} from './update-requests.sql.js';

/** Requests of an administrator's script for single feeds. */
@Injectable()
export class UpdateRequestsRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIds,
  ) {}

  /**
   * Leases the feed's source, due or not, with its state, unless it rests or a request of this process has
   * leased it, and notes the request. The source gets the time of the lease when its fetch is written, so that
   * requests for other feeds of the source that are older find it. A request that waited for another's lease is
   * noted after it. One that is not noted, since the process ended, may be answered by the fetch that it began.
   *
   * @param running sources that are being fetched already, and are not leased
   * @returns null when the user has no such feed
   */
  async begin(
    userId: string,
    feedId: number,
    running: readonly number[],
  ): Promise<UpdateRequest | null> {
    const readerId = await this.ids.of(userId);
    const [feed] = await this.database.query<RequestedFeed>(FIND_FEED, [readerId, feedId]);
    if (feed === undefined) {
      return null;
    }
    const { sourceId, deliveredRev, servedAt } = feed;
    const token = PROCESS + randomUUID().slice(PROCESS.length);
    const [rows] = await this.database.queryTogether([
      { sql: BEGIN_UPDATE, params: [sourceId, deliveredRev, servedAt, running, token] },
      { sql: NOTE_REQUEST, params: [readerId, feedId] },
    ]);
    const [row] = rows as RequestRow[];
    if (row === undefined) {
      return null;
    }
    const { isPending, isResting, askedSinceServed, at, ...source } = row;
    const lease = source.token === null ? null : leaseOf(source, at ?? undefined);
    return { sourceId: source.id, isPending, isResting, askedSinceServed, lease };
  }
}
