import { describe, expect, it } from 'vitest';
import type { Entry } from './dav.js';
import { idsBetween, placeAfter, reordered, sorted, withToggled } from './entry-order.js';

const file = (name: string, sizeBytes = 0, day = 1) =>
  ({ name, sizeBytes, changed: new Date(2026, 0, day), isFolder: false }) as Entry;
const folder = (name: string) => ({ ...file(name), isFolder: true });

describe('The order of entries', () => {
  const namesBy = (key: 'name' | 'size' | 'changed', descending: boolean) =>
    sorted(
      [file('b10', 1, 3), folder('z'), file('b9', 3, 2), file('a', 2, 1), folder('y')],
      { key, descending },
      'en',
    ).map(({ name }) => name);

  it.each([
    ['name', ['y', 'z', 'a', 'b9', 'b10']],
    ['size', ['z', 'y', 'b10', 'a', 'b9']],
    ['changed', ['z', 'y', 'a', 'b9', 'b10']],
  ] as const)('by %s has the folders first.', (key, names) => {
    expect(namesBy(key, false)).toEqual(names);
  });

  it.each([
    ['name', ['z', 'y', 'b10', 'b9', 'a']],
    ['size', ['z', 'y', 'b9', 'a', 'b10']],
    ['changed', ['z', 'y', 'b10', 'b9', 'a']],
  ] as const)('by %s has them first downwards, too.', (key, names) => {
    expect(namesBy(key, true)).toEqual(names);
  });

  it('of names is that of the language', () => {
    const names = (locale: string) =>
      sorted([file('z'), file('ö')], { key: 'name', descending: false }, locale).map(
        ({ name }) => name,
      );

    expect([names('de'), names('sv')]).toEqual([
      ['ö', 'z'],
      ['z', 'ö'],
    ]);
  });

  it('changes its direction at the second click, and starts upwards at another column', () => {
    const first = reordered({ key: 'name', descending: false }, 'size');
    const second = reordered(first, 'size');

    expect(first).toEqual({ key: 'size', descending: false });
    expect(second).toEqual({ key: 'size', descending: true });
    expect(reordered(second, 'size').descending).toBe(false);
    expect(reordered(second, 'name')).toEqual({ key: 'name', descending: false });
  });
});

describe('A selection', () => {
  const entries = [10, 11, 12, 13].map((fileId) => ({ fileId }) as Entry);

  it('reaches from one entry to another, in either direction', () => {
    expect(idsBetween(entries, 1, 2)).toEqual([11, 12]);
    expect(idsBetween(entries, 2, 0)).toEqual([10, 11, 12]);
    expect(idsBetween(entries, 3, 3)).toEqual([13]);
  });

  it('gains an entry at the first click, and loses it at the second', () => {
    const before = new Set([1]);

    expect([...withToggled(before, 2)]).toEqual([1, 2]);
    expect([...withToggled(before, 1)]).toEqual([]);
    expect([...before]).toEqual([1]);
  });
});

describe('A key', () => {
  const grid = { current: 25, count: 100, perRow: 4, step: 0 };

  it.each([
    ['ArrowDown', 29],
    ['ArrowUp', 21],
    ['PageDown', 65],
    ['PageUp', -15],
    ['Home', 0],
    ['End', 99],
    ['x', undefined],
  ])('%s leads to place %s of a grid.', (key, place) => {
    expect(placeAfter(key, grid)).toBe(place);
  });

  it('to the side moves in a grid, and not in a list', () => {
    const right = { ...grid, step: 1 };

    expect(placeAfter('ArrowRight', right)).toBe(26);
    expect(placeAfter('ArrowRight', { ...right, step: -1 })).toBe(24);
    expect(placeAfter('ArrowRight', { ...right, perRow: 1 })).toBeUndefined();
    expect(placeAfter('ArrowDown', { ...grid, perRow: 1 })).toBe(26);
  });
});
