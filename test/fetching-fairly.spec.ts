import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { FetchWorld, INTERVAL, type HostKind } from './support/fetch-world.js';
import { Random } from './support/histories/random.js';
import { histories, isLong } from './support/long.js';

const SEED = 20_261_128;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const HEALTHY = 200;
/** Of the process; by default it has more. */
const FETCHES = 32;
/** Of fetches that hang, with the quarter of the places that one user has. */
const MOST_HANGING_PER_HOUR = ((FETCHES / 4) * HOUR) / 30;
const MALLORY = 0;

const kinds: readonly HostKind[] = ['hanging', 'refusing', 'vanishing', 'slow', 'mixed'] as never;

interface Installation {
  readonly seed: number;
  readonly kind: HostKind | 'mixed';
  readonly count: number;
  /** Owners of the healthy feeds. */
  readonly others: number;
  /** Begin of a real outage, in seconds, and its length. */
  readonly outageAt: number;
  readonly outageFor: number;
}

const installations = fc.record<Installation>({
  seed: fc.nat(),
  kind: fc.constantFrom('hanging', 'refusing', 'vanishing', 'slow', 'mixed'),
  count: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constantFrom(isLong ? 5000 : 2000)),
  others: fc.integer({ min: 1, max: 20 }),
  outageAt: fc.integer({ min: HOUR, max: 2 * HOUR }),
  outageFor: fc.integer({ min: 5 * MINUTE, max: HOUR }),
});

/** Healthy feeds of others, and many dead ones of one user, who imported them all at once. */
function build({ seed, kind, count, others }: Installation): FetchWorld {
  const random = new Random(seed);
  const world = new FetchWorld(random, FETCHES);
  for (let n = 0; n < HEALTHY; n += 1) {
    const owner = 1 + (n % others);
    world.add('healthy', random.chance(0.2) ? [owner, MALLORY] : [owner], random.below(INTERVAL));
  }
  for (let n = 0; n < count; n += 1) {
    world.add(kind === 'mixed' ? (kinds[n % 4] ?? 'slow') : kind, [MALLORY], 10);
  }
  return world;
}

/** Always tried, since it is the worst. */
const WORST: Installation = {
  seed: 1,
  kind: 'hanging',
  count: 2000,
  others: 12,
  outageAt: HOUR,
  outageFor: HOUR / 2,
};

const healthyOf = ({ sources }: FetchWorld) => sources.filter(({ kind }) => kind === 'healthy');

/** The dead that there was time for. Slow ones are not dead. */
const triedOf = ({ sources }: FetchWorld, hours: number) =>
  sources
    .filter(({ kind }) => kind !== 'healthy')
    .slice(0, 0.8 * hours * MOST_HANGING_PER_HOUR)
    .filter(({ kind }) => kind !== 'slow');

describe('generated installations in which one user has dead hosts', () => {
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));

  it('fetch the feeds of all others in time, and the dead less and less', () => {
    fc.assert(
      fc.property(installations, (installation) => {
        const world = build(installation);

        world.pass(2 * HOUR);

        expect(world.outages).toBe(0);
        expect(Math.max(...healthyOf(world).map(({ longestGap }) => longestGap))).toBeLessThan(
          2 * INTERVAL,
        );
        expect(healthyOf(world).filter(({ errors }) => errors > 0)).toEqual([]);
        const dead = triedOf(world, 2);
        expect(dead.filter(({ errors }) => errors === 0)).toEqual([]);
        // After a wait of one interval, each is twice as long.
        expect(Math.max(0, ...dead.map(({ fetches }) => fetches))).toBeLessThanOrEqual(4);
      }),
      { seed: SEED, numRuns: histories(6, 100), examples: [[WORST]] },
    );
  });

  it('blame nobody for a real outage but the dead, and notice its end within a minute', () => {
    fc.assert(
      fc.property(installations, (installation) => {
        const world = build(installation);
        world.pass(installation.outageAt);

        world.isNetworkDown = true;
        world.pass(installation.outageFor);
        const blamed = healthyOf(world).filter(({ errors }) => errors > 0);
        const wasSeen = world.detector.isOutage;
        world.isNetworkDown = false;
        world.pass(MINUTE);
        const isSeen = world.detector.isOutage;
        world.pass(2 * MINUTE);

        expect({ blamed, wasSeen, isSeen }).toEqual({ blamed: [], wasSeen: true, isSeen: false });
        expect(world.outages).toBe(1);
        const since = installation.outageAt + installation.outageFor;
        const missed = healthyOf(world).filter(
          ({ fetchedAt, dueAt }) => (fetchedAt ?? 0) < since && dueAt <= since,
        );
        expect(missed).toEqual([]);
        expect(triedOf(world, 1).filter(({ errors }) => errors === 0)).toEqual([]);
      }),
      { seed: SEED, numRuns: histories(6, 100), examples: [[WORST]] },
    );
  });
});
