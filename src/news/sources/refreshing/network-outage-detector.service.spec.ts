import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { NetworkOutageDetector, type NetworkSign } from './network-outage-detector.service.js';

const MINUTE = 60_000;

let detector: NetworkOutageDetector;
let nowMs: number;
beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(true));
beforeEach(() => {
  detector = new NetworkOutageDetector();
  nowMs = 0;
});

/** A fetch, a second after the one before, of a source whose host is the only one of its network. */
function fetched(
  outcome: NetworkSign['outcome'],
  sourceId: number,
  followedBy: readonly number[] = [1],
  answeredLately = true,
) {
  nowMs += 1000;
  const sign = { sourceId, hostKey: `host-${sourceId}.example`, followedBy, answeredLately };
  return detector.note({ ...sign, outcome }, nowMs);
}

const each = (count: number, from = 0) => Array.from({ length: count }, (_, n) => from + n);

describe('NetworkOutageDetector', () => {
  it('sees an outage when four networks in a row that answered lately cannot be reached', () => {
    const verdicts = each(4).map((source) => fetched('unreached', source));

    expect(verdicts.map(({ is }) => is)).toEqual(['fine', 'fine', 'fine', 'outage']);
    expect(verdicts[3]).toEqual({ is: 'outage', forgiven: [0, 1, 2] });
  });

  it.each([
    ['sources that never answered', () => each(99).map((n) => fetched('unreached', n, [1], false))],
    ['servers that accept and never answer', () => each(99).map((n) => fetched('silent', n))],
    [
      'the hosts of one domain',
      () =>
        each(99).map((n) => {
          const sign = { sourceId: n, followedBy: [1], answeredLately: true };
          return detector.note({ ...sign, hostKey: `${n}.example.org`, outcome: 'unreached' });
        }),
    ],
    [
      'networks of which others answer meanwhile',
      () => each(99).map((n) => fetched(n % 4 === 3 ? 'reached' : 'unreached', n)),
    ],
    [
      'failures that are ten minutes apart',
      () =>
        each(99).map((n) => {
          nowMs += 10 * MINUTE;
          return fetched('unreached', n);
        }),
    ],
    [
      'the sources of one user, while those of another answer',
      () => [fetched('reached', 1000, [2]), ...each(99).map((n) => fetched('unreached', n))],
    ],
    [
      'the sources of one user, and one that many follow',
      () => [
        ...each(12, 1000).map((n) => fetched('reached', n, [2, 3])),
        ...each(98).map((n) => fetched('unreached', n)),
        fetched('unreached', 99, [1, 2, 3]),
      ],
    ],
  ])('does not judge by %s', (_what, history) => {
    const verdicts: readonly { readonly is: string }[] = history();

    expect(verdicts.every(({ is }) => is === 'fine')).toBe(true);
    expect(detector.isOutage).toBe(false);
  });

  it('asks for two sources of each other user that were not fetched for a while', () => {
    each(3, 100).forEach((n) => fetched('reached', n, [2]));
    nowMs += 10 * MINUTE;

    const asked = each(9).map((n) => fetched('unreached', n));
    const witnesses = asked.flatMap((verdict) => (verdict.is === 'fine' ? verdict.witnesses : []));
    expect(witnesses).toEqual([101, 102]);

    witnesses.forEach((n) => fetched('unreached', n, [2]));
    expect(detector.isOutage).toBe(true);
  });

  it('also forgives servers that fell silent when it began, and not what failed long before', () => {
    fetched('unreached', 50);
    nowMs += 20 * MINUTE;
    fetched('silent', 51);
    each(3).forEach((n) => fetched('unreached', n));

    expect(fetched('unreached', 3)).toEqual({ is: 'outage', forgiven: [51, 0, 1, 2] });
  });

  it('holds for what answered lately, and counts what did not', () => {
    each(4).forEach((n) => fetched('unreached', n));

    expect(fetched('unreached', 10)).toEqual({ is: 'outage', forgiven: [] });
    expect(fetched('silent', 11)).toEqual({ is: 'outage', forgiven: [] });
    expect(fetched('unreached', 12, [1], false).is).toBe('fine');
  });

  it('ends when two lost networks answer again, not when one of the own house does', () => {
    each(9).forEach((n) => fetched('unreached', n));

    each(3, 100).forEach((n) => fetched('reached', n));
    expect(detector.isOutage).toBe(true);
    fetched('reached', 3);
    expect(detector.isOutage).toBe(true);
    fetched('reached', 4);
    expect(detector.isOutage).toBe(false);
  });

  it('ends when as many other networks answer as were lost', () => {
    each(4).forEach((n) => fetched('unreached', n));

    each(4, 100).forEach((n) => fetched('reached', n));

    expect(detector.isOutage).toBe(false);
    expect(fetched('unreached', 0).is).toBe('fine');
  });

  it('ends when most users turn out to reach their networks', () => {
    each(99).forEach((n) => fetched('unreached', n));
    expect(detector.isOutage).toBe(true);

    fetched('reached', 1000, [2]);

    expect(detector.isOutage).toBe(false);
  });
});
