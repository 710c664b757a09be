import type { SqlRunner } from '../../src/database/database.js';

/** The query plans, as JSON, of the statements executed by `run`. */
export async function explained(
  database: SqlRunner,
  run: (runner: SqlRunner) => Promise<unknown>,
): Promise<string> {
  const plans: unknown[] = [];
  const runner: SqlRunner = {
    query: async <Row>(sql: string, params?: readonly unknown[]) => {
      plans.push(await database.query(`explain (format json) ${sql}`, params));
      return database.query<Row>(sql, params);
    },
  };
  await run(runner);
  return JSON.stringify(plans);
}
