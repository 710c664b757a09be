import type { SqlRunner } from '../../../database/database.js';

/** @returns false if there is an answer already */
export async function insertAnswer(runner: SqlRunner, userId: string | null): Promise<boolean> {
  const rows = await runner.query(
    'insert into app_trust_answer (user_id) values ($1) on conflict (id) do nothing returning 1',
    [userId],
  );
  return rows.length > 0;
}
