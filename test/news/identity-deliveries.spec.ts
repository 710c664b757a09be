import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { historyOf, shrunken } from '../support/histories/history.js';
import { World } from '../support/histories/world.js';
import { startApp, type TestApp } from '../support/start-app.js';

/*
 * Histories of documents at random, through the real parser into PostgreSQL and from there to
 * subscribers who join, synchronise, mark and clean up at any time. More with GENERATED_HISTORIES=n.
 */

const HISTORIES = Number(process.env['GENERATED_HISTORIES'] ?? 2_000);
const HISTORIES_AT_ONCE = 100;
const ROUNDS = 5;
/** Apart from those of identity-histories.spec.ts. */
const FIRST_SEED = 1_000_000;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('subscribers of publishers who do anything', () => {
  it('get each entry once, lose none, and find their marks where they put them', async () => {
    let worlds = 0;
    const mistakesOf = (histories: readonly ReturnType<typeof historyOf>[], seed: number) =>
      new World(app.app, `world-${(worlds += 1)}`, seed).run(histories);
    for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed += HISTORIES_AT_ONCE) {
      const histories = Array.from({ length: HISTORIES_AT_ONCE }, (_, n) =>
        historyOf(seed + n, ROUNDS),
      );
      const mistakes = await mistakesOf(histories, seed);
      if (mistakes.length > 0) {
        const suspect = histories.find((one) => mistakes[0]?.includes(`history ${one.seed},`));
        const smallest =
          suspect &&
          (await shrunken(suspect, async (one) => (await mistakesOf([one], seed)).length > 0));
        const told = smallest ? await mistakesOf([smallest], seed) : [];
        expect(told.length > 0 ? told : mistakes.slice(0, 3)).toEqual([]);
      }
    }
    expect(worlds).toBe(Math.ceil(HISTORIES / HISTORIES_AT_ONCE));
  });
});
