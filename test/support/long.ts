import { describe, it } from '@jest/globals';

/** `npm run test:long` runs what takes too long for every commit, too. */
export const isLong = process.env['TEST_LONG'] === '1';

export const describeLong = isLong ? describe : describe.skip;
export const itLong = isLong ? it : it.skip;

/**
 * How many generated histories, seeds or rounds a spec runs. `GENERATED_HISTORIES` replaces the second.
 *
 * @param perCommit of `npm test`
 * @param all of `npm run test:long`
 */
export function histories(perCommit: number, all: number): number {
  const asked = process.env['GENERATED_HISTORIES'];
  return asked === undefined ? (isLong ? all : perCommit) : Number(asked);
}
