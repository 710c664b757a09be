import { describe } from '@jest/globals';

/**
 * For what only one server does: on a Citus cluster, plans name shards, and small ones are estimated
 * without statistics.
 */
export const onOneServer =
  process.env['TEST_CITUS_WORKERS'] === undefined ? describe : describe.skip;
