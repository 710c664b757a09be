import { describe, expect, it } from '@jest/globals';
import { startingAt } from '../src/reader/article/players.js';
import type { Feed } from '../src/reader/model/feeds-api.js';
import { treeNamed } from '../src/reader/feeds/tree-search.js';
import { lanesOf } from '../src/reader/items/row-heights.js';

/** Rules of the pages that need no browser. */

describe('The part of the tree of a name', () => {
  const cats = { title: 'Cats', id: 1 } as Feed;
  const cafe = { title: 'Café society', id: 2 } as Feed;
  const folders = [
    { name: 'Animals', feeds: [cats] },
    { name: 'Cafés', feeds: [cats, cafe] },
    { name: 'Catalogues', feeds: [] },
  ].map((folder, id) => ({ ...folder, id, unreadCount: 0 }));

  it.each([
    ['CAT', ['Animals: 1', 'Cafés: 1', 'Catalogues: '], [1]],
    ['cafe', ['Cafés: 1,2'], [2]],
    ['dog', [], []],
  ])('%s has the feeds of that name, and folders with them.', (sought, inFolders, inRoot) => {
    const found = treeNamed(sought, { folders, rootFeeds: [cats, cafe] });

    expect(
      found.folders.map(({ name, feeds }) => `${name}: ${feeds.map(({ id }) => id).join(',')}`),
    ).toEqual(inFolders);
    expect(found.rootFeeds.map(({ id }) => id)).toEqual(inRoot);
  });
});

it.each([
  ['cards', 300, 1],
  ['cards', 1000, 2],
  ['cards', 1600, 4],
  ['list', 1600, 1],
] as const)('%s of a list of %d pixels have %d columns.', (layout, width, columns) => {
  expect(lanesOf({ layout, width, rem: 16 })).toBe(columns);
});

it.each([
  ['https://www.youtube-nocookie.com/embed/abcdef?start=9&autoplay=1', 'start=75'],
  ['https://player.vimeo.com/video/1?autoplay=1', '#t=75s'],
  ['https://tube.example/videos/embed/x?warningTitle=0&autoplay=1', 'start=75'],
])('The player %s starts at a time.', (src, time) => {
  expect(startingAt(src, 75)).toContain(time);
  expect(startingAt(src, 75)).toContain('autoplay=1');
  expect(startingAt(src, 75)).not.toContain('start=9');
});
