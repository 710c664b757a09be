import { beforeEach, describe, expect, it } from 'vitest';
import { effect } from 'vue';
import type { Article } from '../model/entry.js';
import type { Feed } from '../model/feeds-api.js';
import type { RowJson } from '../model/items-api.js';
import type { Selection } from '../model/selection.js';
import { ItemFlags } from './item-flags.js';
import { ListPages } from './list-pages.js';
import { LoadedItems } from './loaded-items.js';
import { Marking } from './marking.js';

const REFUSED = new Error('refused');

function row(id: number, fields: Partial<RowJson> = {}): RowJson {
  const unread = { id, feedId: 1, title: '', url: null, pubDate: 0, unread: true, starred: false };
  const shown = { rtl: false, media: null, snippet: '', thumbnail: null, minutes: 1 };
  return { ...unread, ...shown, place: `${1000 - id}.${id}`, labels: ['later'], ...fields };
}

const ROWS = [row(1), row(2), row(3, { unread: false }), row(4)];

/** A page of the reader with rows 1 to 4, of which 3 is read, and a service that answers or refuses. */
class World {
  readonly items = new LoadedItems(() => Promise.resolve(null));
  readonly asked: unknown[] = [];
  readonly counted: unknown[] = [];
  readonly selection: Selection = { of: 'feed', feedId: 1 };
  refusal: Error | null = null;
  isOffline = false;
  /** Pages of a search. */
  found = [[row(1)], [row(2)]];
  readonly feeds = {
    feeds: [{ id: 1, unreadCount: 9 } as Feed, { id: 2, unreadCount: 5 } as Feed],
    newestItemId: 50,
    contains: (list: Selection, feedId: number) => list.of !== 'feed' || list.feedId === feedId,
    holds: (list: Selection, { feedId }: { feedId: number }) => this.feeds.contains(list, feedId),
    countUnread: (added: ReadonlyMap<number, number>) => this.counted.push([...added]),
    countLabelled: (...counted: unknown[]) => this.counted.push(counted),
    countStarred: (added: number) => this.counted.push(added),
    load: () => Promise.resolve(void this.counted.push('loaded')),
    changesSent: () => Promise.resolve(),
    whileChanging: <T>(work: Promise<T>) => work,
  };
  readonly pages = new ListPages(this.items.list, this.feeds as never, () =>
    Promise.resolve({ rows: ROWS, next: null, since: 1, newestItemId: 40 }),
  );
  readonly flags = new ItemFlags(
    this.items,
    this.feeds as never,
    (items, flag, value) => this.ask([items.map(({ id }) => id), flag, value]),
    (...asked) => this.ask(asked),
  );
  readonly marking = new Marking(this.pages, this.items, this.flags, this.feeds as never, {
    listRows: (_, { after }) => {
      const at = Number(after ?? 0);
      const next = at + 1 < this.found.length ? String(at + 1) : null;
      return Promise.resolve({ rows: this.found[at] ?? [], next });
    },
    markPartRead: (list, { after }, upTo) =>
      this.ask(['mark', list, after, upTo]).then(() => ({ marked: 3, since: 2, undo: [6] })),
    markListRead: async (list, upTo) => {
      await this.ask(['mark whole', list, upTo]);
      return this.isOffline ? 'waiting' : { sent: { marked: 3, since: 2, undo: [6] } };
    },
    setUnread: (ids, unread) => this.ask(['set', ids, unread]),
    undoMarking: (undo) => this.ask(['undo', undo]).then(() => ({ marked: 3, since: 3 })),
    withdrawList: () => this.isOffline,
  });

  /** Unread rows. */
  get unread(): number[] {
    return this.items.list.entries.value.filter(({ unread }) => unread).map(({ id }) => id);
  }

  async ask(asked: unknown): Promise<void> {
    this.asked.push(asked);
    if (this.refusal !== null) {
      throw this.refusal;
    }
  }
}

let world: World;

beforeEach(async () => {
  world = new World();
  await world.pages.open(world.selection, { oldestFirst: false, unreadOnly: false });
});

describe('A flag', () => {
  it('is shown and counted before the service answers.', () => {
    void world.flags.markSeen([1, 2, 3]);

    expect(world.unread).toEqual([4]);
    expect(world.asked).toEqual([[[1, 2], 'unread', false]]);
    expect(world.counted).toEqual([[[1, -2]], [['later', 'later'], -1]]);
  });

  it('is as before when the service refuses it.', async () => {
    world.refusal = REFUSED;

    await expect(world.flags.markSeen([1, 2])).rejects.toBe(REFUSED);
    await expect(world.flags.toggleStarred(1)).rejects.toBe(REFUSED);
    expect(world.unread).toEqual([1, 2, 4]);
    expect(world.items.find(1)?.starred).toBe(false);
    expect(world.counted).toEqual([
      [[1, -2]],
      [['later', 'later'], -1],
      [[1, 2]],
      [['later', 'later'], 1],
      1,
      -1,
    ]);
  });

  it('is not sent if it changes nothing.', async () => {
    await world.flags.markSeen([3, 99]);
    await world.flags.toggleStarred(99);

    expect(world.asked).toEqual([]);
  });

  it('kept unread by the user stays when the item is seen, until the user marks it read.', async () => {
    await world.flags.toggleUnread(3);
    await world.flags.markSeen([3, 4]);
    expect(world.unread).toEqual([1, 2, 3]);

    await world.flags.toggleUnread(3);
    await world.flags.changeUnread([3], true);
    await world.flags.markSeen([3]);
    expect(world.unread).toEqual([1, 2]);
  });

  it('of the open article changes with its row.', async () => {
    world.items.article.value = { ...row(2), author: '', body: '' } as unknown as Article;
    await world.flags.toggleStarred(2);

    expect(world.items.article.value?.starred).toBe(true);
    expect(world.items.list.find(2)?.starred).toBe(true);
  });
});

describe('The labels of an item', () => {
  const change = { add: ['new', 'kept'], remove: ['later'] };

  it('are shown once each, without removed ones.', async () => {
    world.items.show(1, { labels: ['later', 'kept'] });
    await world.flags.changeLabels(1, change);

    expect(world.items.find(1)?.labels).toEqual(['kept', 'new']);
    expect(world.asked).toEqual([[[1], change]]);
  });

  it('are as before when the service refuses the change.', async () => {
    world.refusal = REFUSED;

    await expect(world.flags.changeLabels(1, change)).rejects.toBe(REFUSED);
    expect(world.items.find(1)?.labels).toEqual(['later']);
  });
});

describe('Marking a list read', () => {
  it('marks what was there when the list was loaded, and undoes it.', async () => {
    const marked = await world.marking.markAllRead(world.selection);

    expect(world.unread).toEqual([]);
    expect(marked?.count).toBe(3);
    expect(world.counted).toEqual([[[1, -9]], 'loaded']);
    await marked?.undo();
    expect(world.unread).toEqual([1, 2, 4]);
    expect(world.asked).toEqual([
      ['set', [], false],
      ['mark whole', world.selection, 40],
      ['undo', [6]],
      ['set', [], true],
    ]);
  });

  it('shows it unread again, with its counts, when the service refuses.', async () => {
    world.refusal = REFUSED;

    await expect(world.marking.markAllRead(world.selection)).rejects.toBe(REFUSED);
    expect(world.unread).toEqual([1, 2, 4]);
    expect(world.counted.at(-1)).toBe('loaded');
  });

  it('marks shown items one by one that arrived later.', async () => {
    world.items.list.append([row(41), row(42, { unread: false })]);
    const marked = await world.marking.markAllRead(world.selection);

    expect(marked?.count).toBe(4);
    expect(world.asked[0]).toEqual(['set', [41], false]);
    await marked?.undo();
    expect(world.asked.at(-1)).toEqual(['set', [41], true]);
  });

  it('marks another list up to the newest item of all, and of the shown rows those in it.', async () => {
    world.items.list.append([row(6, { feedId: 2 })]);
    const other = { of: 'feed', feedId: 2 } as const;
    await world.marking.markAllRead(other);

    expect(world.unread).toEqual([1, 2, 4]);
    expect(world.asked.at(-1)).toEqual(['mark whole', other, 50]);
  });

  it('can be undone while it waits for a connection, and after it was sent.', async () => {
    world.isOffline = true;
    const marked = await world.marking.markAllRead(world.selection);
    expect(marked?.count).toBe(3);
    await marked?.undo();
    expect(world.unread).toEqual([1, 2, 4]);
    expect(world.asked).toHaveLength(2);

    const again = await world.marking.markAllRead(world.selection);
    world.isOffline = false;
    world.pages.clear();
    await again?.undo();
    expect(world.asked.at(-1)).toEqual([[1, 2, 4], 'unread', true]);
  });
});

describe('Marking a part of a list read', () => {
  it('marks the loaded entries above one.', async () => {
    const marked = await world.marking.markAboveRead(4);
    expect([marked?.count, world.unread]).toEqual([2, [4]]);

    await marked?.undo();
    expect(world.unread).toEqual([1, 2, 4]);
    expect(await world.marking.markAboveRead(1)).toBeNull();
  });

  it('is undone after another list was opened, except what is unread there by then.', async () => {
    const marked = await world.marking.markAboveRead(4);
    world.pages.clear();
    world.items.list.append([row(2)]);
    await marked?.undo();

    expect(world.asked.at(-1)).toEqual([[1], 'unread', true]);
    expect(world.counted.slice(-2)).toEqual([[[1, 1]], [['later'], 1]]);
  });

  it('marks everything below one, loaded or not.', async () => {
    const marked = await world.marking.markBelowRead(1);

    expect([marked?.count, world.unread]).toEqual([3, [1]]);
    expect(world.asked.at(-1)).toEqual(['mark', world.selection, '999.1', 40]);
    expect(await world.marking.markBelowRead(99)).toBeNull();
  });

  it('is shown at once.', () => {
    let shown: number[] = [];
    effect(() => (shown = world.unread));
    void world.marking.markBelowRead(1);

    expect(shown).toEqual([1]);
  });

  it('does nothing without an unread result of a search.', async () => {
    world.found = [[]];

    expect(await world.marking.markAllRead({ of: 'search', query: 'cats' })).toBeNull();
    expect([world.asked, world.counted]).toEqual([[], []]);
  });

  it('marks all results of a search, page by page.', async () => {
    const marked = await world.marking.markAllRead({ of: 'search', query: 'cats' });

    expect([marked?.count, world.unread]).toEqual([2, [4]]);
    await marked?.undo();
    expect(world.asked).toEqual([
      ['set', [1, 2], false],
      ['set', [1, 2], true],
    ]);
  });
});
