import { expect, it } from 'vitest';
import { lanesOf, pictureHeight, rowHeight } from './row-heights.js';

it.each([
  ['list', false, false, false, 100],
  ['compact', false, false, true, 36],
  ['compact', true, false, false, 44],
  ['compact', true, true, false, 46.4],
  ['cards', false, false, false, 132],
  ['cards', false, false, true, 132 + 212 + 12],
] as const)(
  'A row of the layout %s, touched %s, narrow %s, with a picture %s, has %d pixels.',
  (layout, isTouched, isNarrow, hasPicture, pixels) => {
    const space = { layout, isTouched, isNarrow, width: 400, rem: 16 };
    expect(rowHeight(space, hasPicture)).toBeCloseTo(pixels);
    expect(rowHeight(space, hasPicture, true)).toBeCloseTo(pixels + 24);
    expect(pictureHeight({ width: 4000, rem: 16 })).toBe(288);
  },
);

it.each([
  ['cards', 300, 1],
  ['cards', 1000, 2],
  ['cards', 1600, 4],
  ['list', 1600, 1],
] as const)('%s of a list of %d pixels have %d columns.', (layout, width, columns) => {
  expect(lanesOf({ layout, width, rem: 16 })).toBe(columns);
});
