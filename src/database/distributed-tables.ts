import type { SqlRunner } from '../common/sql-runner.js';

/** The comment on tables whose rows are copies of other tables' rows. */
export const COPIED_ROWS = 'Copies of rows of other tables; not in backups.';

/** Whether some tables are distributed over the workers of a Citus cluster. */
export async function hasDistributedTables(runner: SqlRunner): Promise<boolean> {
  const [citus] = await runner.query<{ exists: boolean }>(
    `select to_regclass('pg_catalog.pg_dist_partition') is not null as exists`,
  );
  if (citus?.exists !== true) {
    return false;
  }
  const rows = await runner.query(`select 1 from pg_dist_partition where partmethod = 'h' limit 1`);
  return rows.length > 0;
}
