import { PgBoss } from 'pg-boss';
import { types, type Pool } from 'pg';

/** Jobs live beside the tables of the rooms, in a schema that pg-boss keeps in order itself. */
export const JOB_SCHEMA = 'job';

/** Runs the statements of pg-boss, which wants rows as the driver reads them by default. */
export interface JobStatements {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** On connections of our pool, whose own readings of numbers and times pg-boss does not expect. */
export function jobStatementsOn(pool: Pool): JobStatements {
  return {
    executeSql: (text, values) =>
      pool.query({ text, types, ...(values === undefined ? {} : { values }) }),
  };
}

/** Creates or renews the schema. Called by one process at a time. */
export async function installJobSchema(pool: Pool): Promise<void> {
  const boss = new PgBoss({
    db: jobStatementsOn(pool),
    schema: JOB_SCHEMA,
    supervise: false,
    schedule: false,
  });
  await boss.start();
  await boss.stop({ graceful: false, close: false });
}
