import type { SqlRunner } from '../../common/sql-runner.js';

/** Those of these tables that are not distributed yet. */
export async function notDistributed<Table extends { readonly name: string }>(
  tx: SqlRunner,
  tables: readonly Table[],
): Promise<Table[]> {
  const rows = await tx.query<{ name: string }>(
    `select logicalrelid::text as name from pg_dist_partition where partmethod = 'h'`,
  );
  const distributed = new Set(rows.map(({ name }) => name));
  return tables.filter(({ name }) => !distributed.has(name));
}

/** For the rest of the transaction, each worker is asked by one connection, as changes of keys need. */
export async function inSequence(tx: SqlRunner): Promise<void> {
  await tx.query("set local citus.multi_shard_modify_mode = 'sequential'");
}

/**
 * Citus leaves the rows of a table that it distributes on the coordinator, hidden. Removes them from
 * these tables, those that refer to others first.
 */
export async function removeLocalRows(runner: SqlRunner, tables: readonly string[]): Promise<void> {
  for (const table of tables.toReversed()) {
    await runner.query('select truncate_local_data_after_distributing_table($1::regclass)', [
      table,
    ]);
  }
}
