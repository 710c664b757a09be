import type { Client } from 'pg';
import type { SqlRunner } from '../../common/sql-runner.js';
import { runnerOf, transactionOn } from '../../database/dedicated-connection.js';
import { otherProcesses } from '../../database/other-processes.js';
import { findCluster, type Cluster } from './cluster.sql.js';
import { distributeReaders, READER_TABLES } from './readers.sql.js';
import { distributeSources, SOURCE_TABLES } from './sources.sql.js';
import { inSequence, removeLocalRows } from './distributed-tables.sql.js';

/** Parts of the tables of each family, fixed from the first time on. */
export interface ShardCounts {
  readonly readers: number;
  readonly articles: number;
}

/** The tables of readers and of articles, on a connection of its own. */
export class DistributionRepository {
  readonly #runner: SqlRunner;

  constructor(private readonly client: Client) {
    this.#runner = runnerOf(client);
  }

  /** @returns null without the extension Citus */
  async cluster(): Promise<Cluster | null> {
    return findCluster(this.#runner);
  }

  /** @param own names of the caller's own programs */
  async isUsedByOthers(own: readonly string[]): Promise<boolean> {
    return (await otherProcesses(this.client, own)).length > 0;
  }

  /**
   * Distributes both families in one transaction; tables that are distributed already are left as they are.
   *
   * @param tell is given a line per step
   * @returns names of the tables that were distributed now
   */
  async distribute(
    shards: ShardCounts,
    tell: (line: string) => void = () => {},
  ): Promise<string[]> {
    return transactionOn(this.client, async () => {
      await inSequence(this.#runner);
      return [
        ...(await distributeReaders(this.#runner, shards.readers, tell)),
        ...(await distributeSources(this.#runner, shards.articles, tell)),
      ];
    });
  }

  /** Removes the hidden rows of distributed tables from the coordinator. */
  async removeLocalRows(): Promise<void> {
    const tables = [...READER_TABLES, ...SOURCE_TABLES].map(({ name }) => name);
    await removeLocalRows(this.#runner, tables);
  }
}
