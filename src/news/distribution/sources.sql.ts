import type { SqlRunner } from '../../common/sql-runner.js';
import { notDistributed } from './distributed-tables.sql.js';

/** A table of the family of a source, with its primary key, which has to contain the source's id. */
interface SourceTable {
  readonly name: string;
  /** Null where the present key contains it already. */
  readonly key: string | null;
}

/**
 * What has rows per article, and documents, co-located by `source_id`. Rows that are written for many
 * sources at a time or claimed among all of them stay on the coordinator: `source`, `source_schedule`,
 * `source_document`, `fetch_attempt`, `full_text_page`.
 *
 * @see docs/decisions/0073-articles-distributed.md
 */
export const SOURCE_TABLES: readonly SourceTable[] = [
  { name: 'article', key: 'id, source_id' },
  { name: 'article_body', key: null },
  { name: 'article_search', key: null },
  { name: 'article_tombstone', key: null },
  { name: 'failed_document', key: null },
];

/** Foreign keys that stay inside a shard. */
const KEPT_KEYS = ['article_body', 'article_search'];

/**
 * Distributes what is stored per article over the workers, existing rows included, in the caller's
 * transaction.
 *
 * @param shards number of parts, which is fixed from then on
 * @returns names of the tables that were distributed; those that were before are left as they are
 */
export async function distributeSources(
  tx: SqlRunner,
  shards: number,
  tell: (line: string) => void,
): Promise<string[]> {
  const waiting = await notDistributed(tx, SOURCE_TABLES);
  const names = waiting.map(({ name }) => name);
  const foreignKeys = await tx.query<{ table: string; name: string }>(
    `select conrelid::regclass::text as "table", conname as name from pg_constraint
      where contype = 'f' and (conrelid = any($1::text[]::regclass[]) or confrelid = any($1::text[]::regclass[]))`,
    [names],
  );
  for (const { table, name } of foreignKeys) {
    await tx.query(`alter table ${table} drop constraint ${name}`);
  }
  for (const { name, key } of waiting) {
    tell(`Distributing ${name} …`);
    if (key !== null) {
      await tx.query(`alter table ${name} drop constraint ${name}_pkey, add primary key (${key})`);
    }
    await tx.query(
      name === 'article'
        ? `select create_distributed_table('article', 'source_id', colocate_with => 'none', shard_count => ${shards})`
        : `select create_distributed_table('${name}', 'source_id', colocate_with => 'article')`,
    );
  }
  for (const table of KEPT_KEYS.filter((name) => names.includes(name))) {
    await tx.query(
      `alter table ${table} add constraint ${table}_article_id_fkey
         foreign key (article_id, source_id) references article (id, source_id) on delete cascade`,
    );
  }
  return names;
}
