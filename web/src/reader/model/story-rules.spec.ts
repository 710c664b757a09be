import { expect, it } from 'vitest';
import { foldedCopies, hasStoryTwice } from './story-rules.js';

const row = (id: number, more: object = {}) => ({
  id,
  feedId: id,
  title: '',
  unread: false,
  starred: false,
  ...more,
});

it('A copy is folded when its keeper is in the list, before it or after it.', () => {
  const entries = [
    row(3, { duplicateOf: 1 }),
    row(1, { unread: true }),
    row(2, { duplicateOf: 1 }),
  ];

  expect([...foldedCopies(entries)]).toEqual([3, 2]);
});

it.each([
  ['its keeper is not in the list', { duplicateOf: 9 }],
  ['it is unread again', { duplicateOf: 1, unread: true }],
  ['it has a star', { duplicateOf: 1, starred: true }],
  ['it is no copy', {}],
])('An entry keeps its row when %s.', (_why, more) => {
  expect(foldedCopies([row(1), row(2, more)]).size).toBe(0);
});

it.each([
  ['Old lighthouse is repaired at last', 'OLD lighthouse: is repaired, at last!', true],
  ['Old lighthouse is repaired at last', 'Old lighthouse is repaired at last, again', false],
  ['Weather for the weekend', 'Weather for the weekend', false],
])('“%s” and “%s” of two feeds are a story twice: %s.', (one, other, isTwice) => {
  expect(hasStoryTwice([row(1, { title: one }), row(2, { title: other })])).toBe(isTwice);
  expect(hasStoryTwice([row(1, { title: one }), row(2, { title: other, feedId: 1 })])).toBe(false);
});
