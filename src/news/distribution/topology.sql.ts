import type { SqlRunner } from '../../common/sql-runner.js';

/** Distributed, `follower` is a table beside the sources, and not a view of subscriptions. */
export async function isDistributed(runner: SqlRunner): Promise<boolean> {
  const [row] = await runner.query<{ isTable: boolean }>(
    `select relkind = 'r' as "isTable" from pg_class where oid = 'follower'::regclass`,
  );
  return row?.isTable === true;
}
