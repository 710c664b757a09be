import type { SqlRunner } from '../common/sql-runner.js';

/**
 * Counts rows up to `most`: cheap on tables of any size if an index finds the rows.
 *
 * @param from a table and a condition, for instance `folder where reader_id = $1`
 */
export async function countUpTo(
  runner: SqlRunner,
  from: string,
  params: readonly unknown[],
  most: number,
): Promise<number> {
  const [row] = await runner.query<{ count: number }>(
    `select count(*)::int as count from (select 1 from ${from} limit ${Math.floor(most)}) counted`,
    params,
  );
  return row?.count ?? 0;
}
