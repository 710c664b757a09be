import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../database/database.js';
import { isDistributed } from './topology.sql.js';

/**
 * Whether the tables of readers and of articles are on one server, or distributed over the workers of a
 * Citus cluster. `database:distribute` changes it, while no process serves.
 */
@Injectable()
export class Topology {
  #isDistributed: boolean | undefined;

  async isDistributed(runner: SqlRunner): Promise<boolean> {
    this.#isDistributed ??= await isDistributed(runner);
    return this.#isDistributed;
  }
}
