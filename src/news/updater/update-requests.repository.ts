import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { ReaderIds } from '../reader/delivery/reader-ids.repository.js';
import { beginUpdate, type UpdateRequest } from './update-requests.sql.js';

/** Requests of an administrator's script for single feeds. */
@Injectable()
export class UpdateRequestsRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIds,
  ) {}

  /**
   * Notes a request, and leases the source unless it was fetched for another feed of the round.
   *
   * @param running sources that are not leased
   * @returns null when the user has no such feed
   */
  async begin(
    userId: string,
    feedId: number,
    running: readonly number[],
  ): Promise<UpdateRequest | null> {
    const readerId = await this.ids.of(userId);
    return readerId === null ? null : beginUpdate(this.database, readerId, feedId, running);
  }
}
