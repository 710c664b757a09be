import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../common/sql-runner.js';
import { hasDistributedTables } from './distributed-tables.js';

/**
 * Whether the tables of readers and of articles are on one server, or distributed over the workers of a
 * Citus cluster. `database:distribute` changes it, while no process serves.
 */
@Injectable()
export class Topology {
  #isDistributed: boolean | undefined;

  async isDistributed(runner: SqlRunner): Promise<boolean> {
    this.#isDistributed ??= await hasDistributedTables(runner);
    return this.#isDistributed;
  }
}
