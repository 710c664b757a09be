import type { LimitName } from '../common/config/limits.js';
import type { SqlRunner } from '../common/sql-runner.js';

/**
 * Takes a lock until the end of the transaction, for what is counted before it is inserted: concurrent
 * requests would each see room for one more. The count must be a later statement of the transaction.
 *
 * @param limit or one that is no setting
 * @param owner whose rows the limit counts
 */
export async function lockLimit(
  tx: SqlRunner,
  limit: LimitName | 'login-flows-per-network',
  owner: string,
): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtext($1), hashtext($2))', [
    `gatefold ${limit}`,
    owner,
  ]);
}
