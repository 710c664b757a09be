import { describe, expect, it } from '@jest/globals';
import { nextTime, quietUntil } from './local-time.js';

const next = (now: string, time: string, zone = 'Europe/Berlin') =>
  nextTime(new Date(now), time, zone).toISOString().slice(0, 16);

describe('the next time of day', () => {
  it.each([
    ['2026-03-12T12:00Z', '18:00', '2026-03-12T17:00'],
    ['2026-03-12T17:00Z', '18:00', '2026-03-13T17:00'],
    ['2026-03-12T23:30Z', '00:15', '2026-03-13T23:15'],
  ])('after %s at %s is %s', (now, time, expected) => {
    expect(next(now, time)).toBe(expected);
  });

  it('that the clock leaves out is as much later, once', () => {
    expect(next('2026-03-28T12:00Z', '02:30')).toBe('2026-03-29T01:30');
    expect(next('2026-03-29T01:30Z', '02:30')).toBe('2026-03-30T00:30');
  });

  it('that the clock shows twice is the first one, once', () => {
    expect(next('2026-10-24T12:00Z', '02:30')).toBe('2026-10-25T00:30');
    expect(next('2026-10-25T00:30Z', '02:30')).toBe('2026-10-26T01:30');
  });

  it.each([
    ['America/New_York', '2026-03-08T07:30'],
    ['Australia/Lord_Howe', '2026-03-08T15:30'],
    ['Pacific/Kiritimati', '2026-03-08T12:30'],
    ['Asia/Kathmandu', '2026-03-08T20:45'],
  ])('is that of %s', (zone, expected) => {
    expect(next('2026-03-08T06:59Z', '02:30', zone)).toBe(expected);
  });
});

describe('quiet hours', () => {
  const end = (now: string, from: string, to: string, days = [1, 2, 3, 4, 5, 6, 7]) =>
    quietUntil(new Date(now), { from, to, days }, 'Europe/Berlin')?.toISOString().slice(0, 16) ??
    null;

  it('last over midnight, from the days on which they begin', () => {
    // 12 March 2026 is a Thursday.
    expect(end('2026-03-12T20:59Z', '22:00', '07:00')).toBeNull();
    expect(end('2026-03-12T21:00Z', '22:00', '07:00')).toBe('2026-03-13T06:00');
    expect(end('2026-03-13T05:59Z', '22:00', '07:00', [4])).toBe('2026-03-13T06:00');
    expect(end('2026-03-13T05:59Z', '22:00', '07:00', [5])).toBeNull();
    expect(end('2026-03-13T06:00Z', '22:00', '07:00')).toBeNull();
  });

  it('may lie within a day, and last for a whole one', () => {
    expect(end('2026-03-12T12:00Z', '12:30', '14:00')).toBe('2026-03-12T13:00');
    expect(end('2026-03-12T10:00Z', '08:00', '08:00')).toBe('2026-03-13T07:00');
  });

  it('end an hour earlier in the night that is shorter', () => {
    expect(end('2026-03-28T22:00Z', '22:00', '07:00')).toBe('2026-03-29T05:00');
  });
});
