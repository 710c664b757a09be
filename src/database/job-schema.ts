import { types, type Pool } from 'pg';
import { PgBoss } from 'pg-boss';

/** The schema of pg-boss, which migrates it itself. */
export const JOB_SCHEMA = 'job';

/** Runs the statements of pg-boss. */
interface JobStatements {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Uses the pool with the default type parsers of pg, which pg-boss expects. */
export function jobStatementsOn(pool: Pool): JobStatements {
  return {
    executeSql: (text, values) =>
      pool.query({ text, types, ...(values === undefined ? {} : { values }) }),
  };
}

/** Creates or migrates the schema. Call from one process at a time. */
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
