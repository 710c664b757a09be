import { expect, it } from '@jest/globals';
import { foldStory, type StoryItem } from './fold-story.js';

const item = (itemId: number, more: Partial<StoryItem> = {}): StoryItem => ({
  itemId,
  unread: true,
  isUntouched: true,
  isKept: false,
  isAlwaysShown: false,
  wasFolded: false,
  isFolded: false,
  keeperId: null,
  ...more,
});

const READ = { unread: false } as const;
const FOLDED = { ...READ, wasFolded: true, isFolded: true, keeperId: 1 } as const;

it.each<[string, StoryItem[], number[], [number, number | null][]]>([
  [
    'of unread ones the first is shown',
    [item(2), item(1), item(3)],
    [2, 3],
    [
      [2, 1],
      [3, 1],
    ],
  ],
  ['one that a rule read does not count', [item(1, READ), item(2), item(3)], [3], [[3, 2]]],
  ['one with a star is shown', [item(1), item(2, { isKept: true })], [1], [[1, 2]]],
  [
    'one that the user read is shown',
    [item(1), item(2, { ...READ, isUntouched: false })],
    [1],
    [[1, 2]],
  ],
  ['what is always shown stays', [item(1), item(2, { isAlwaysShown: true })], [], []],
  ['nothing is marked twice', [item(1), item(2, { wasFolded: true })], [], []],
  ['what is marked stays', [item(1), item(2, FOLDED), item(3)], [3], [[3, 1]]],
  [
    'what is marked does not show it, though its stamp was moved',
    [item(1), item(2, { ...FOLDED, isUntouched: false }), item(3)],
    [3],
    [[3, 1]],
  ],
  [
    'who has read what is gone has the story',
    [item(2, FOLDED), item(3)],
    [3],
    [
      [3, 2],
      [2, null],
    ],
  ],
  ['nobody has what rules read', [item(1, READ), item(2, READ)], [], []],
  [
    'copies point to the one that is shown now',
    [item(1, READ), item(2, { isKept: true }), item(3, FOLDED)],
    [],
    [[3, 2]],
  ],
])('Of the items of a story, %s.', (_what, items, folded, pointers) => {
  const folding = foldStory(items);

  expect(folding.folded.map(({ itemId }) => itemId)).toEqual(folded);
  expect(folding.pointers.map((one) => [one.item.itemId, one.keeperId])).toEqual(pointers);
});
