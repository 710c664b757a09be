import { describe, expect, it } from 'vitest';
import { isNamedAfter, unusedName, wasUsed } from './client-passwords.js';

describe('An app password', () => {
  it.each([
    ['NetNewsWire', true],
    ['NetNewsWire 2', true],
    ['NetNewsWire 12', true],
    ['NetNewsWire 2b', false],
    ['NetNewsWire for work', false],
    ['My NetNewsWire', false],
    ['NetNews', false],
  ])('%s is of the client NetNewsWire: %s.', (name, expected) => {
    expect(isNamedAfter('NetNewsWire', { name })).toBe(expected);
  });

  it('is of no client without a name', () => {
    expect(isNamedAfter('', { name: '' })).toBe(false);
    expect(isNamedAfter('', { name: ' 2' })).toBe(false);
  });

  it('gets the name of the client, or the first number that is free', () => {
    const named = (...names: readonly string[]) => names.map((name) => ({ name }));

    expect(unusedName('Reeder', named('Other'))).toBe('Reeder');
    expect(unusedName('Reeder', named('Reeder'))).toBe('Reeder 2');
    expect(unusedName('Reeder', named('Reeder', 'Reeder 2', 'Reeder 4'))).toBe('Reeder 3');
    expect(unusedName('Reeder', named('Reeder 2'))).toBe('Reeder');
  });
});

describe('A client has called', () => {
  const START_SECONDS = 10_000;
  const called = (lastUsed: number | null, before: number | null | undefined) =>
    wasUsed({ id: 1, lastUsed }, new Map(before === undefined ? [] : [[1, before]]), START_SECONDS);

  it('with an app password whose last use has changed', () => {
    expect([called(9_000, null), called(9_000, 8_000), called(9_000, undefined)]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('shortly before the user looked, since further uses are written down once a minute', () => {
    expect([called(9_911, 9_911), called(9_910, 9_910), called(10_089, 10_089)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('never with an app password that was never used', () => {
    expect([called(null, null), called(null, undefined), called(null, 9_000)]).toEqual([
      false,
      false,
      false,
    ]);
  });
});
