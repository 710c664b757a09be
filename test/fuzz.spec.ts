import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TARGETS } from '../tools/fuzz/targets.js';
import { describeLong } from './support/long.js';

/** The same inputs every time; `npm run fuzz` looks for new ones. */
const SEED = 20_261_123;

describeLong('any input', () => {
  it.each(TARGETS)('is answered or refused: $name', async ({ smokeRuns, open }) => {
    const target = await open();

    const { errorInstance, counterexample, numRuns } = await fc.check(target.property, {
      seed: SEED,
      numRuns: smokeRuns,
    });
    await target.close();

    expect({ errorInstance, counterexample }).toEqual({
      errorInstance: null,
      counterexample: null,
    });
    expect(numRuns).toBe(smokeRuns);
  });
});
