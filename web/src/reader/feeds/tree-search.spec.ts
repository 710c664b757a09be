import { describe, expect, it } from 'vitest';
import type { Feed } from '../model/feeds-api.js';
import { treeNamed } from './tree-search.js';

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
