import { describe } from '@jest/globals';

/**
 * Describes what only one server does: on a Citus cluster, plans name shards, and small ones are
 * estimated without statistics.
 */
export function onOneServer(title: string, body: () => void): void {
  // Asked for each time: specs share this module, and have a `describe` each.
  const ofThisSpec = process.env['TEST_CITUS_WORKERS'] === undefined ? describe : describe.skip;
  ofThisSpec(title, body);
}
