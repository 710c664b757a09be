import { describe, expect, it } from 'vitest';
import { keyOf, placeOf, selectionOf, type Selection } from './selection.js';

const LISTS = new Map([
  ['', 'unread'],
  ['feeds', 'feed'],
  ['folders', 'folder'],
  ['labels', 'label'],
  ['searches', 'savedSearch'],
]);

describe('A list', () => {
  const ofSearch = (within?: Extract<Selection, { of: 'feed' | 'folder' | 'label' }>) =>
    ({ of: 'search', query: 'big cats', within }) as const;

  it.each<[Selection, string, Record<string, unknown>]>([
    [{ of: 'unread' }, '/apps/news/', {}],
    [{ of: 'starred' }, '/apps/news/starred', {}],
    [{ of: 'feed', feedId: 2 }, '/apps/news/feeds/2', {}],
    [{ of: 'folder', folderId: 7 }, '/apps/news/folders/7', {}],
    [{ of: 'label', labelId: 3 }, '/apps/news/labels/3', {}],
    [ofSearch(), '/apps/news/search', { q: 'big cats' }],
    [ofSearch({ of: 'feed', feedId: 2 }), '/apps/news/search', { q: 'big cats', feed: 2 }],
    [ofSearch({ of: 'folder', folderId: 7 }), '/apps/news/search', { q: 'big cats', folder: 7 }],
    [ofSearch({ of: 'label', labelId: 3 }), '/apps/news/search', { q: 'big cats', label: 3 }],
    [
      { ...ofSearch(), byRelevance: true },
      '/apps/news/search',
      { q: 'big cats', order: 'relevance' },
    ],
    [{ of: 'search', query: '', searchId: 6 }, '/apps/news/searches/6', {}],
  ])('%j has the address %s, which names it.', (selection, path, query) => {
    expect(placeOf(selection)).toMatchObject({ path });
    const withItem = placeOf(selection, 5) as { path: string; query?: Record<string, unknown> };
    expect(withItem.path).toBe(`${path.replace(/\/$/, '')}/items/5`);
    expect(withItem.query ?? {}).toEqual(query);

    const [, , , list = 'unread', id] = path.split('/');
    const meta = { list: LISTS.get(list) ?? list };
    const route = { meta, params: { id }, query } as never;
    expect(selectionOf(route)).toEqual(selection);
    expect(keyOf(selectionOf(route))).toBe(keyOf(selection));
  });

  it('of a search is another one with other words.', () => {
    expect(keyOf(ofSearch())).not.toBe(keyOf({ of: 'search', query: 'small cats' }));
  });
});
