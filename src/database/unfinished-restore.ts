import type { SqlRunner } from '../common/sql-runner.js';

/**
 * The comment on the table of migrations, from the commit of restored rows to the end of the restore. It is
 * in no backup, and every database has the table.
 */
const UNFINISHED = 'A restore was not completed.';

/** In the transaction of the rows. */
export async function noteUnfinishedRestore(runner: SqlRunner): Promise<void> {
  await runner.query(`comment on table migration is '${UNFINISHED}'`);
}

export async function noteFinishedRestore(runner: SqlRunner): Promise<void> {
  await runner.query('comment on table migration is null');
}

/** What is wrong, and the remedy; null unless a restore ended after its rows and before all else. */
export async function faultOfRestore(
  runner: SqlRunner,
): Promise<{ readonly text: string; readonly advice: string } | null> {
  const [row] = await runner.query<{ comment: string | null }>(
    `select obj_description(to_regclass('migration'), 'pg_class') as comment`,
  );
  return row?.comment === UNFINISHED
    ? { text: UNFINISHED, advice: 'Run it again, with --replace.' }
    : null;
}
