import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../database/database.js';
import { Topology } from '../../distribution/topology.repository.js';
import { filterDelivered } from '../filters/filters.repository.js';
import { deliverPending } from './deliveries.sql.js';
import type { LockedReader } from './reader-locks.repository.js';

/** Makes items of new and changed articles for the users who follow their sources. */
@Injectable()
export class DeliveriesRepository {
  constructor(private readonly topology: Topology) {}

  /**
   * Delivers everything that is pending, and applies the filters of its feeds in the same transaction.
   * `reader` proves that the caller holds the lock.
   */
  async deliver(tx: SqlRunner, reader: LockedReader): Promise<void> {
    const areApart = await this.topology.isDistributed(tx);
    await filterDelivered(tx, reader, await deliverPending(tx, reader, areApart));
  }
}
