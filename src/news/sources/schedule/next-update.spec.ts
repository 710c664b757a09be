import { describe, expect, it } from '@jest/globals';
import type { PublishingHints } from '../../feed-parser/parsed-feed.js';
import type { CachingHeaders } from '../fetch/caching-headers.js';
import { nextUpdateIn, type UpdateCircumstances } from './next-update.js';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;

/** A Monday. */
const NOW = Date.parse('2026-05-04T12:00:00Z') / 1000;

/** Jitter without effect. */
const MIDDLE = 0.5;

describe('The next update', () => {
  describe('of a regular feed', () => {
    it('comes twice per typical interval between articles', () => {
      const every = (gap: number) => Array.from({ length: 20 }, (_, n) => NOW - gap * (n + 1));

      expect(waitSeconds({ recentPubDatesSeconds: every(HOUR) })).toBe(30 * MINUTE);
      expect(waitSeconds({ recentPubDatesSeconds: every(100 * MINUTE) })).toBe(50 * MINUTE);
    });

    it('does not depend on the order of the dates', () => {
      const dates = [NOW - HOUR, NOW - 2 * HOUR, NOW - 3 * HOUR];

      expect(waitSeconds({ recentPubDatesSeconds: dates })).toBe(30 * MINUTE);
      expect(waitSeconds({ recentPubDatesSeconds: [...dates].reverse() })).toBe(30 * MINUTE);
    });

    it('is never sooner than the minimum interval', () => {
      const dates = Array.from({ length: 20 }, (_, n) => NOW - n);

      for (const jitter of [0, MIDDLE, 0.999]) {
        const wait = waitSeconds({ recentPubDatesSeconds: dates, jitter });
        expect(wait).toBeGreaterThanOrEqual(15 * MINUTE);
        expect(wait).toBeLessThanOrEqual(16.5 * MINUTE);
      }
    });

    it('is no later than the maximum interval', () => {
      expect(waitSeconds({ recentPubDatesSeconds: [NOW - 6 * DAY] })).toBe(HOUR);
    });

    it('slows down with a feed that was busy', () => {
      const busyUntil = (end: number) =>
        Array.from({ length: 10 }, (_, n) => end - n * 10 * MINUTE);
      const longest = { maxIntervalSeconds: 12 * HOUR, jitter: 0 };

      const before = waitSeconds({ ...longest, recentPubDatesSeconds: busyUntil(NOW) });
      const after = waitSeconds({ ...longest, recentPubDatesSeconds: busyUntil(NOW - DAY) });

      expect(before).toBe(15 * MINUTE);
      expect(after).toBeGreaterThan(HOUR);
    });

    it('depends on recent articles, not on an old archive', () => {
      const recent = Array.from({ length: 20 }, (_, n) => NOW - HOUR * (n + 1));
      const archive = Array.from({ length: 100 }, (_, n) => NOW - 3000 * DAY - n);

      expect(waitSeconds({ recentPubDatesSeconds: [...archive, ...recent] })).toBe(30 * MINUTE);
    });

    it('ignores dates in the future', () => {
      expect(
        waitSeconds({ recentPubDatesSeconds: [NOW + 400 * DAY, NOW - HOUR, NOW - 2 * HOUR] }),
      ).toBe(30 * MINUTE);
    });

    it('respects a maximum interval below the minimum', () => {
      const wait = waitSeconds({
        maxIntervalSeconds: MINUTE,
        recentPubDatesSeconds: [NOW - HOUR],
        jitter: 0,
      });

      expect(wait).toBe(MINUTE);
    });
  });

  describe('of a feed without dates', () => {
    it.each([[[]], [[NOW + DAY]]])(
      'with the dates %j comes after the maximum interval',
      (dates) => {
        expect(waitSeconds({ recentPubDatesSeconds: dates })).toBe(HOUR);
      },
    );
  });

  describe('of a feed that has become inactive', () => {
    it.each([
      [7, HOUR],
      [10, 8 * HOUR],
      [15, 12 * HOUR],
    ])('for %i days comes after %i seconds', (days, seconds) => {
      expect(waitSeconds({ recentPubDatesSeconds: [NOW - days * DAY] })).toBe(seconds);
    });

    it.each([30, 365, 5000])('for %i days comes within a day', (days) => {
      const quiet = { recentPubDatesSeconds: [NOW - days * DAY] };

      expect(waitSeconds({ ...quiet, jitter: 0 })).toBe(0.9 * DAY);
      expect(waitSeconds({ ...quiet, jitter: 0.999_999 })).toBeLessThanOrEqual(DAY);
    });

    it('is not sooner than for an active one if the configured intervals are long', () => {
      const wait = waitSeconds({
        recentPubDatesSeconds: [NOW - 60 * DAY],
        maxIntervalSeconds: 3 * DAY,
        jitter: 0,
      });

      expect(wait).toBe(64.8 * HOUR);
    });
  });

  describe('when the publisher requests a delay', () => {
    const lively = { recentPubDatesSeconds: [NOW - HOUR, NOW - 2 * HOUR] };

    it.each<[string, Partial<UpdateCircumstances>]>([
      ['ttl', { hints: hints({ ttlSeconds: 4 * HOUR }) }],
      ['updatePeriod', { hints: hints({ updatePeriodSeconds: 4 * HOUR }) }],
      ['max-age', { caching: caching({ maxAgeSeconds: 4 * HOUR }) }],
      ['Expires', { caching: caching({ expiresAtSeconds: NOW + 4 * HOUR }) }],
    ])('by %s is not before that', (_by, asking) => {
      const soonest = waitSeconds({ ...lively, ...asking, jitter: 0 });
      const latest = waitSeconds({ ...lively, ...asking, jitter: 0.999_999 });

      expect(soonest).toBe(4 * HOUR);
      expect(latest).toBe(264 * MINUTE);
      expect(nextUpdateIn(circumstances({ ...lively, ...asking })).reason).toBe(
        'the publisher asks',
      );
    });

    it('follows the longest of several requests', () => {
      const wait = waitSeconds({
        ...lively,
        hints: hints({ ttlSeconds: 2 * HOUR, updatePeriodSeconds: 3 * HOUR }),
        caching: caching({ maxAgeSeconds: HOUR, expiresAtSeconds: NOW - HOUR }),
        jitter: 0,
      });

      expect(wait).toBe(3 * HOUR);
    });

    it('is delayed by at most a day', () => {
      const year = { caching: caching({ maxAgeSeconds: 365 * DAY }) };

      expect(waitSeconds({ ...lively, ...year, jitter: 0.999_999 })).toBeLessThanOrEqual(DAY);
      expect(waitSeconds({ ...lively, ...year, jitter: 0 })).toBe(0.9 * DAY);
    });

    it('names the rhythm of the feed if the request is for the same', () => {
      const same = { hints: hints({ ttlSeconds: 30 * MINUTE }) };

      expect(waitSeconds({ ...lively, ...same })).toBe(31.5 * MINUTE);
      expect(nextUpdateIn(circumstances({ ...lively, ...same })).reason).toBe('its own rhythm');
    });

    it('is not moved forward by a request for a short interval', () => {
      const hasty = {
        hints: hints({ ttlSeconds: 1, updatePeriodSeconds: 60 }),
        caching: caching({ maxAgeSeconds: 0 }),
      };

      expect(waitSeconds({ ...lively, ...hasty })).toBe(30 * MINUTE);
    });
  });

  describe('in hours and days that the publisher skips', () => {
    const inAnHour = { recentPubDatesSeconds: [] };

    it('moves to the next hour that is not skipped', () => {
      const skipping = { ...inAnHour, hints: hints({ skipHours: [13, 14] }) };

      expect(NOW + waitSeconds({ ...skipping, jitter: MIDDLE })).toBe(at('2026-05-04T15:03:00Z'));
      expect(nextUpdateIn(circumstances(skipping)).reason).toContain('skips');
    });

    it('moves to the next day that is not skipped', () => {
      const wait = waitSeconds({
        recentPubDatesSeconds: [NOW - 30 * DAY],
        hints: hints({ skipDays: [2, 3] }),
        jitter: 0,
      });

      // 0.9 days later it is Tuesday.
      expect(NOW + wait).toBe(at('2026-05-07T00:00:00Z'));
    });

    it('respects hours and days together', () => {
      const wait = waitSeconds({
        ...inAnHour,
        hints: hints({ skipHours: [0, 1, 2], skipDays: [1] }),
        jitter: 0,
      });

      expect(NOW + wait).toBe(at('2026-05-05T03:00:00Z'));
    });

    it('does not move in an hour that is not skipped', () => {
      expect(waitSeconds({ ...inAnHour, hints: hints({ skipHours: [12, 14] }) })).toBe(HOUR);
    });

    it.each([
      ['hour', { skipHours: Array.from({ length: 24 }, (_, hour) => hour) }],
      ['day', { skipDays: [0, 1, 2, 3, 4, 5, 6] }],
    ])('ignores a publisher that skips every %s', (_what, skipping) => {
      expect(waitSeconds({ ...inAnHour, hints: hints(skipping) })).toBe(HOUR);
    });
  });

  describe('after a failure', () => {
    const failing = (errorCount: number, rest: Partial<UpdateCircumstances> = {}) =>
      waitSeconds({
        outcome: { failed: 'network', retryAfterSeconds: null },
        errorCount,
        ...rest,
      });

    it.each([
      [2, 20 * MINUTE],
      [3, 40 * MINUTE],
      [4, 80 * MINUTE],
      [8, 1280 * MINUTE],
    ])('number %i in a row comes after %i seconds', (errorCount, seconds) => {
      expect(failing(errorCount)).toBe(seconds);
    });

    it('is not sooner than the minimum interval', () => {
      expect(failing(1, { jitter: 0 })).toBe(15 * MINUTE);
    });

    it.each([9, 100, 10_000])('number %i in a row still comes within a day', (errorCount) => {
      expect(failing(errorCount, { jitter: 0 })).toBe(0.9 * DAY);
      expect(failing(errorCount, { jitter: 0.999_999 })).toBeLessThanOrEqual(DAY);
    });

    it('reports how often it failed', () => {
      const next = nextUpdateIn(
        circumstances({ outcome: { failed: 'timeout', retryAfterSeconds: null }, errorCount: 3 }),
      );

      expect(next.reason).toBe('error 3 in a row');
    });

    it('waits at least as long as Retry-After', () => {
      const outcome = { failed: 'rate-limited', retryAfterSeconds: 3 * HOUR } as const;

      expect(failing(1, { outcome, jitter: 0 })).toBe(3 * HOUR);
      expect(failing(1, { outcome, jitter: 0.999_999 })).toBe(198 * MINUTE);
    });

    it('waits a week if Retry-After says so', () => {
      const outcome = { failed: 'http', retryAfterSeconds: 7 * DAY } as const;

      expect(failing(1, { outcome, jitter: 0 })).toBe(7 * DAY);
    });

    it('waits longer than Retry-After if that is too short', () => {
      const outcome = { failed: 'rate-limited', retryAfterSeconds: 1 } as const;

      expect(failing(4, { outcome })).toBe(80 * MINUTE);
    });

    it('is not moved before Retry-After by jitter', () => {
      const outcome = { failed: 'http', retryAfterSeconds: 79 * MINUTE } as const;

      expect(failing(4, { outcome, jitter: 0 })).toBe(79 * MINUTE);
    });

    it('of a feed that is permanently gone comes once a week', () => {
      const outcome = { failed: 'gone', retryAfterSeconds: null } as const;

      expect(failing(1, { outcome })).toBe(7 * DAY);
      expect(failing(50, { outcome })).toBe(7 * DAY);
    });
  });

  describe('is jittered', () => {
    it('evenly over a tenth around its time', () => {
      const waits = [0, 0.25, MIDDLE, 0.75, 1].map((jitter) => waitSeconds({ jitter }));

      expect(waits).toEqual([54, 57, 60, 63, 66].map((minutes) => minutes * MINUTE));
    });
  });

  it('is always a whole second in the future', () => {
    for (const jitter of [0, 0.123_456, 0.999_999]) {
      for (const errorCount of [0, 1, 7]) {
        const outcome = errorCount ? { failed: 'http' as const, retryAfterSeconds: null } : 'ok';
        const wait = waitSeconds({ jitter, errorCount, outcome, recentPubDatesSeconds: [NOW] });
        expect(Number.isInteger(wait)).toBe(true);
        expect(wait).toBeGreaterThan(0);
      }
    }
  });
});

function waitSeconds(given: Partial<UpdateCircumstances>): number {
  return nextUpdateIn(circumstances(given)).waitSeconds;
}

function circumstances(given: Partial<UpdateCircumstances>): UpdateCircumstances {
  return {
    nowSeconds: NOW,
    outcome: 'ok',
    errorCount: 0,
    recentPubDatesSeconds: [],
    caching: null,
    hints: null,
    minIntervalSeconds: 15 * MINUTE,
    maxIntervalSeconds: HOUR,
    sleepyMaxSeconds: DAY,
    jitter: MIDDLE,
    ...given,
  };
}

function caching(given: Partial<CachingHeaders>): CachingHeaders {
  return { maxAgeSeconds: null, expiresAtSeconds: null, noStore: false, noCache: false, ...given };
}

function hints(given: Partial<PublishingHints>): PublishingHints {
  return {
    ttlSeconds: null,
    updatePeriodSeconds: null,
    skipHours: [],
    skipDays: [],
    hubUrl: null,
    selfUrl: null,
    ...given,
  };
}

function at(date: string): number {
  return Date.parse(date) / 1000;
}
