import type { SqlRunner } from '../common/sql-runner.js';

export interface MeasuredRows {
  readonly count: number;
  readonly bytes: number;
}

/**
 * Number of rows, and the sum of an expression over them.
 *
 * @param bytes for instance `octet_length(value)`, which reads no compressed text
 * @param from as of `countUpTo`
 */
export async function measureRows(
  runner: SqlRunner,
  bytes: string,
  from: string,
  params: readonly unknown[],
): Promise<MeasuredRows> {
  const [row] = await runner.query<MeasuredRows>(
    `select count(*)::int as count, coalesce(sum(${bytes}), 0)::bigint as bytes from ${from}`,
    params,
  );
  return row ?? { count: 0, bytes: 0 };
}
