import type { Client } from 'pg';
import type { SqlRunner } from '../../common/sql-runner.js';
import { runnerOf, transactionOn } from '../../database/connections/dedicated-connection.js';
import { otherProcesses } from '../../database/other-processes.js';
import { distributeReaders, READER_TABLES } from './readers.sql.js';

/**
 * Tables with rows per article, and documents, co-located by `source_id`, with primary keys, which must
 * contain the source's id; null where the present key contains it already. Rows that are written or claimed
 * across many sources stay on the coordinator: `source`, `source_schedule`, `source_document`,
 * `fetch_attempt`, `full_text_page`.
 * @see docs/decisions/0073-articles-distributed.md
 */
export const SOURCE_TABLES = [
  { name: 'article', key: 'id, source_id' },
  { name: 'article_body', key: null },
  { name: 'article_search', key: null },
  { name: 'article_tokens', key: null },
  { name: 'article_tombstone', key: null },
  { name: 'failed_document', key: null },
] as const;

/** Foreign keys that stay inside a shard. */
const KEPT_KEYS = new Set<string>(['article_body', 'article_search', 'article_tokens']);

/** Metadata of the database's cluster. */
export interface Cluster {
  readonly isCoordinator: boolean;
  /** Servers that take shards. */
  readonly workers: readonly string[];
  /** Servers of the cluster that were taken out of use. */
  readonly inactive: readonly string[];
}

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
    const [extension] = await this.#runner.query<{ isThere: boolean }>(
      `select exists (select 1 from pg_extension where extname = 'citus') as "isThere"`,
    );
    if (extension?.isThere !== true) {
      return null;
    }
    const [cluster] = await this.#runner.query<Cluster>(
      `select citus_is_coordinator() as "isCoordinator",
              array(select nodename || ':' || nodeport from pg_dist_node
                     where isactive and shouldhaveshards and noderole = 'primary'
                     order by 1) as workers,
              array(select nodename || ':' || nodeport from pg_dist_node
                     where not isactive and noderole = 'primary' order by 1) as inactive`,
    );
    return cluster ?? null;
  }

  /** @param own names of the caller's own programs */
  async isUsedByOthers(own: readonly string[]): Promise<boolean> {
    return (await otherProcesses(this.client, own)).length > 0;
  }

  /**
   * Distributes both families in one transaction; already distributed tables are unchanged.
   *
   * @param tell called with a line per step
   * @returns names of the tables that were distributed now
   */
  async distribute(
    shards: ShardCounts,
    tell: (line: string) => void = () => {},
  ): Promise<string[]> {
    return transactionOn(this.client, async () => {
      // Changes of keys require one connection per worker.
      await this.#runner.query("set local citus.multi_shard_modify_mode = 'sequential'");
      const distributed = await this.#runner.query<{ name: string }>(
        `select logicalrelid::text as name from pg_dist_partition where partmethod = 'h'`,
      );
      const isDistributed = new Set(distributed.map(({ name }) => name));
      const readers = READER_TABLES.filter(({ name }) => !isDistributed.has(name));
      const sources = SOURCE_TABLES.filter(({ name }) => !isDistributed.has(name));
      await distributeReaders(readers, shards.readers, tell, this.#runner);
      await this.#distributeSources(sources, shards.articles, tell);
      return [...readers, ...sources].map(({ name }) => name);
    });
  }

  async #distributeSources(
    tables: readonly (typeof SOURCE_TABLES)[number][],
    shards: number,
    tell: (line: string) => void,
  ): Promise<void> {
    const names = tables.map(({ name }) => name);
    const foreignKeys = await this.#runner.query<{ table: string; name: string }>(
      `select conrelid::regclass::text as "table", conname as name from pg_constraint
        where contype = 'f' and (conrelid = any($1::text[]::regclass[]) or confrelid = any($1::text[]::regclass[]))`,
      [names],
    );
    for (const { table, name } of foreignKeys) {
      await this.#runner.query(`alter table ${table} drop constraint ${name}`);
    }
    for (const { name, key } of tables) {
      tell(`Distributing ${name} …`);
      if (key !== null) {
        await this.#runner.query(
          `alter table ${name} drop constraint ${name}_pkey, add primary key (${key})`,
        );
      }
      await this.#runner.query(
        name === 'article'
          ? `select create_distributed_table('article', 'source_id', colocate_with => 'none', shard_count => ${shards})`
          : `select create_distributed_table('${name}', 'source_id', colocate_with => 'article')`,
      );
    }
    for (const table of names.filter((name) => KEPT_KEYS.has(name))) {
      await this.#runner.query(
        `alter table ${table} add constraint ${table}_article_id_fkey
           foreign key (article_id, source_id) references article (id, source_id) on delete cascade`,
      );
    }
  }

  /**
   * Citus leaves the rows of a table that it distributes on the coordinator, hidden. Removes them, of
   * tables that refer to others first.
   */
  async removeLocalRows(): Promise<void> {
    for (const { name } of [...READER_TABLES, ...SOURCE_TABLES].toReversed()) {
      await this.#runner.query(
        'select truncate_local_data_after_distributing_table($1::regclass)',
        [name],
      );
    }
  }
}
