import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Random } from '../../../../test/support/histories/random.js';
import { NetworkOutageDetector } from './network-outage-detector.js';

interface Sign {
  readonly sourceId: number;
  readonly hostKey: string;
  readonly reached: boolean;
  readonly atMs: number;
}

/** The plain rule: examines every sign of the last minute each time. */
class Model {
  isOutage = false;
  #signs: Sign[] = [];

  /** @returns the sources that are forgiven when an outage begins; null while there is none */
  note(sign: Sign): number[] | null {
    this.#signs = [...this.#signs, sign].filter(({ atMs }) => atMs > sign.atMs - 60_000);
    if (this.isOutage) {
      if (!sign.reached) {
        return [];
      }
      this.#signs = this.#signs.slice(-4);
      this.isOutage = this.#signs.filter(({ reached }) => !reached).length * 2 > this.#signs.length;
      this.#signs = this.isOutage ? this.#signs : [];
      return null;
    }
    const failed = this.#signs.filter(({ reached }) => !reached);
    this.isOutage =
      this.#signs.length >= 8 &&
      new Set(failed.map(({ hostKey }) => hostKey)).size >= 4 &&
      failed.length * 2 > this.#signs.length;
    return this.isOutage
      ? [...new Set(failed.map(({ sourceId }) => sourceId))].filter((id) => id !== sign.sourceId)
      : null;
  }
}

describe('NetworkOutageDetector', () => {
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));

  it('sees outages begin and end exactly as if it looked at every sign of the last minute', () => {
    let outages = 0;
    for (let seed = 1; seed <= 30; seed += 1) {
      const random = new Random(seed);
      const detector = new NetworkOutageDetector();
      const model = new Model();
      let atMs = 0;
      let share = 0;
      for (let n = 0; n < 400; n += 1) {
        atMs += random.chance(0.02) ? random.below(70_000) : random.below(1500);
        share = random.chance(0.03) ? random.next() : share;
        const sourceId = random.below(50);
        const reached = !random.chance(share);
        const sign = { sourceId, hostKey: `host ${sourceId % 8}`, reached, atMs };

        const expected = model.note(sign);
        const verdict = detector.note(sign, atMs);

        expect(verdict.is === 'outage' ? verdict.forgiven : null).toEqual(expected);
        expect(detector.isOutage).toBe(model.isOutage);
        outages += expected === null || expected.length === 0 ? 0 : 1;
      }
    }
    expect(outages).toBeGreaterThan(20);
  });
});
