import { describe, expect, it } from 'vitest';
import type { Feed } from '../model/feeds-api.js';
import type { Selection } from '../model/selection.js';
import {
  contains,
  holds,
  inOrder,
  nameOf,
  treeOf,
  withLabelled,
  withUnread,
} from './feed-rules.js';

const byName = (one: string, other: string) => (one < other ? -1 : 1);

function feed(id: number, title: string, fields: Partial<Feed> = {}): Feed {
  return { id, title, folderId: null, unreadCount: 1, pinned: false, ...fields } as Feed;
}

const FOLDER = { id: 7, name: 'Animals' };
const FEEDS = [feed(1, 'Cats', { folderId: 7 }), feed(2, 'Dogs')];
const KNOWN = {
  byId: new Map(FEEDS.map((one) => [one.id, one])),
  folders: [FOLDER],
  labels: [{ id: 3, name: 'later', unreadCount: 1 }],
};

describe('A list', () => {
  it('has the items of a feed, a folder, a label or all feeds.', () => {
    const item = { feedId: 1, labels: ['later'] };
    const isIn = (selection: Selection) => holds(selection, item, KNOWN);

    expect([1, 2].map((feedId) => isIn({ of: 'feed', feedId }))).toEqual([true, false]);
    expect([7, 8].map((folderId) => isIn({ of: 'folder', folderId }))).toEqual([true, false]);
    expect(isIn({ of: 'label', labelId: 3 })).toBe(true);
    expect(holds({ of: 'label', labelId: 3 }, { feedId: 1 }, KNOWN)).toBe(false);
    expect(holds({ of: 'label', labelId: 4 }, item, KNOWN)).toBe(false);
    expect(isIn({ of: 'all' })).toBe(true);
    expect(contains({ of: 'label', labelId: 3 }, 1, KNOWN.byId)).toBe(false);
  });

  it('is named after its feed, folder or label.', () => {
    const lists: Selection[] = [
      { of: 'feed', feedId: 2 },
      { of: 'folder', folderId: 7 },
      { of: 'label', labelId: 3 },
      { of: 'all' },
    ];
    expect(lists.map((list) => nameOf(list, KNOWN)).join()).toBe('Dogs,Animals,later,');
  });
});

describe('Counts', () => {
  it('of feeds change by item and are never negative.', () => {
    const added = new Map([
      [1, -3],
      [2, 4],
    ]);
    const now = withUnread([...FEEDS, feed(3, 'Birds')], added);

    expect(now.map(({ unreadCount }) => unreadCount)).toEqual([0, 5, 1]);
  });

  it('of labels change once for every item that has one.', () => {
    const labels = [...KNOWN.labels, { id: 4, name: 'new', unreadCount: 1 }];
    const counts = (names: string[], by: 1 | -1) =>
      withLabelled(labels, names, by).map(({ unreadCount }) => unreadCount);

    expect(counts(['later', 'later'], 1)).toEqual([3, 1]);
    expect(counts(['later', 'later', 'new'], -1)).toEqual([0, 0]);
    expect(withLabelled(labels, [], 1)).toBe(labels);
  });

  it('of folders are those of their feeds, in the order of names, with pinned feeds first.', () => {
    const inside = [feed(4, 'Zebras', { folderId: 7, pinned: true, unreadCount: 5 }), ...FEEDS];
    const tree = treeOf([FOLDER, { id: 8, name: 'Aardvarks' }], inside, byName);

    expect(tree.map(({ name, unreadCount }) => [name, unreadCount])).toEqual([
      ['Aardvarks', 0],
      ['Animals', 6],
    ]);
    expect(tree[1]?.feeds.map(({ title }) => title)).toEqual(['Zebras', 'Cats']);
    expect(inOrder([...FEEDS].reverse(), byName)).toEqual(FEEDS);
  });
});
