import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { historyOf, shrunken, type History } from '../support/histories/history.js';
import { editsOf, movesOf, stateOf } from '../support/histories/moves.js';
import { playOf, type Play } from '../support/histories/play.js';
import { World } from '../support/histories/world.js';
import { histories } from '../support/long.js';
import { startApp, type TestApp } from '../support/start-app.js';

/*
 * Random histories of documents, through the parser and PostgreSQL to subscribers that subscribe,
 * synchronise, set flags and clean up at any time. More of them with GENERATED_HISTORIES=n.
 */

const HISTORIES = histories(50, 2_000);
const HISTORIES_AT_ONCE = Math.min(HISTORIES, 100);
const ROUNDS = 5;
/** Different from the seeds of identity-histories.spec.ts. */
const FIRST_SEED = 1_000_000;
const MOVES_SEED = 3_000_000;
const SEEDS = Array.from(
  { length: Math.ceil(HISTORIES / HISTORIES_AT_ONCE) },
  (_, n) => FIRST_SEED + n * HISTORIES_AT_ONCE,
);

let app: TestApp;
let worlds = 0;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('subscribers of an erratic publisher', () => {
  it.each(SEEDS)(
    'get each entry once, and lose neither entries nor flags: histories from %i',
    async (seed) => {
      expect(await mistakesFrom(seed)).toEqual([]);
    },
  );
});

describe('subscribers of a site that moves, of a page of alerts, and of edited posts', () => {
  const all = histories(30, 10_000);
  const atOnce = Math.min(all, 500);
  const seeds = Array.from({ length: all / atOnce }, (_, n) => MOVES_SEED + n * atOnce);

  it.each(seeds)('get each entry once: histories from %i', async (seed) => {
    const plays = Array.from({ length: atOnce }, (_, n) => {
      const kind = [movesOf, movesOf, movesOf, stateOf, editsOf][n % 5] ?? movesOf;
      return kind(seed + n, ROUNDS + 1);
    });

    expect(await mistakesInPlays(plays, seed)).toEqual([]);
  });
});

/** The failure with the smallest history that reproduces it. */
async function mistakesFrom(seed: number): Promise<string[]> {
  const histories = Array.from({ length: HISTORIES_AT_ONCE }, (_, n) =>
    historyOf(seed + n, ROUNDS),
  );
  const mistakes = await mistakesIn(histories, seed);
  const suspect = histories.find((one) => mistakes[0]?.startsWith(`history ${one.seed},`));
  if (suspect === undefined) {
    return mistakes;
  }
  const fails = async (one: History) => (await mistakesIn([one], seed)).length > 0;
  const told = await mistakesIn([await shrunken(suspect, fails)], seed);
  return told.length > 0 ? told : mistakes.slice(0, 1);
}

function mistakesIn(histories: readonly History[], seed: number): Promise<string[]> {
  return mistakesInPlays(histories.map(playOf), seed);
}

function mistakesInPlays(plays: readonly Play[], seed: number): Promise<string[]> {
  worlds += 1;
  return new World(app, `world-${worlds}`, seed).run(plays);
}
