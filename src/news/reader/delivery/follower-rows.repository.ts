import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../database/database.js';
import { Topology } from '../../distribution/topology.repository.js';
import { commitTogether, copyFollowers } from './follower-rows.sql.js';

/**
 * What sources know of their followers. On one server that is a view of subscriptions; where readers are
 * distributed, it is a table beside the sources, which follows each change of a reader in the same
 * transaction.
 *
 * @see docs/decisions/0072-readers-distributed.md
 */
@Injectable()
export class FollowerRows {
  constructor(private readonly topology: Topology) {}

  /** After a change of the reader's subscriptions, under its lock. */
  async follow(tx: SqlRunner, readerId: number): Promise<void> {
    if ((await this.topology.isDistributed(tx)) && (await copyFollowers(tx, readerId))) {
      await commitTogether(tx);
    }
  }
}
