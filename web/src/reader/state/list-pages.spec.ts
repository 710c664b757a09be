import { describe, expect, it } from 'vitest';
import type { ChangedRow, RowJson, RowPage } from '../model/items-api.js';
import type { Selection } from '../model/selection.js';
import { belongsTo } from './arrivals.js';
import { EntryList } from './entry-list.js';
import { ListPages } from './list-pages.js';

const changed = (id: number, fields: Partial<ChangedRow> = {}) =>
  ({ id, feedId: 1, unread: true, starred: false, place: `${id}.${id}`, ...fields }) as RowJson;

const inFeed1 = (selection: Selection, { feedId }: ChangedRow) =>
  selection.of !== 'feed' || selection.feedId === feedId;

describe('Items that arrive', () => {
  const isOf = (selection: Selection, item: ChangedRow, unreadOnly = false) =>
    belongsTo(selection, { oldestFirst: false, unreadOnly }, item, inFeed1);

  it('are not those of other lists.', () => {
    expect(isOf({ of: 'feed', feedId: 1 }, changed(3))).toBe(true);
    expect(isOf({ of: 'feed', feedId: 1 }, changed(3, { feedId: 2 }))).toBe(false);
    expect(isOf({ of: 'starred' }, changed(3))).toBe(false);
    expect(isOf({ of: 'starred' }, changed(3, { starred: true, feedId: 2 }))).toBe(true);
    expect(isOf({ of: 'search', query: 'cats' }, changed(3))).toBe(false);
  });

  it('are unread ones of a list of unread ones.', () => {
    expect(isOf({ of: 'unread' }, changed(3, { unread: false }), true)).toBe(false);
    expect(isOf({ of: 'unread' }, changed(3), true)).toBe(true);
    expect(isOf({ of: 'all' }, changed(3, { unread: false }))).toBe(true);
  });
});

describe('The pages of a list', () => {
  const [load, changesSent] = [() => Promise.resolve(), () => Promise.resolve()];
  const feeds = { load, changesSent, holds: inFeed1 } as never;
  const order = { oldestFirst: true, unreadOnly: false };
  const last = { rows: [changed(4), changed(2)], next: null };
  const first: RowPage = { rows: [changed(2)], next: '2.2', since: 5, newestItemId: 2 };

  function pagesOf(answers: (RowPage | Error)[]) {
    const entries = new EntryList();
    const asked: unknown[] = [];
    const pages = new ListPages(entries, feeds, (_, { after, batchSize }) => {
      asked.push([after, batchSize]);
      const answer = answers.shift() ?? first;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    });
    const shown = () => entries.entries.value.map(({ id }) => id);
    return { pages, asked, shown };
  }

  it('follow one another until the last.', async () => {
    const { pages, asked, shown } = pagesOf([first, last]);
    await pages.loadMore();
    expect(asked).toEqual([]);

    await pages.open({ of: 'all' }, order);
    await pages.loadMore();
    await pages.loadMore();
    expect(asked.join(' ')).toBe(',60 2.2,200');
    expect(shown()).toEqual([2, 4]);
    expect([pages.since, pages.listedUpToId, pages.hasMore.value]).toEqual([5, 2, false]);
  });

  it('continue after a page that failed.', async () => {
    const { pages, shown } = pagesOf([first, new Error('away'), last]);
    await pages.open({ of: 'all' }, order);
    await pages.loadMore();
    expect([pages.error.value, pages.hasMore.value]).toEqual([new Error('away'), false]);

    await pages.retry();
    expect([pages.error.value, shown()]).toEqual([null, [2, 4]]);
  });

  it('are those of the list that was opened last.', async () => {
    const { pages, asked, shown } = pagesOf([first]);
    const former = pages.open({ of: 'all' }, order);
    await pages.open({ of: 'starred' }, order);
    await former;

    expect(asked).toHaveLength(1);
    expect([pages.selection.value.of, shown()]).toEqual(['starred', [2]]);
  });

  it.each([[false, [4, 6], '2.2'] as const, [true, [], '3.2'] as const])(
    'count arrivals, or end with them if the oldest come first: %s.',
    async (oldestFirst, ids, next) => {
      const { pages, asked } = pagesOf([{ ...first, rows: [changed(2, { place: '3.2' })] }]);
      await pages.open({ of: 'feed', feedId: 1 }, { oldestFirst, unreadOnly: true });
      const others = [changed(1), changed(2), changed(5, { feedId: 2 })];
      await pages.announce([changed(4), changed(6), changed(7), ...others]);
      await pages.announce([changed(7, { unread: false })]);
      expect([...pages.arrivedIds.value]).toEqual(ids);

      await pages.loadMore();
      expect(asked.at(-1)).toEqual([next, 200]);
    },
  );

  it('are loaded again if something arrives for an empty list.', async () => {
    const { pages, shown } = pagesOf([{ ...first, rows: [], next: null }]);
    await pages.open({ of: 'all' }, order);
    await pages.announce([changed(4)]);

    expect([shown(), pages.arrivedIds.value.size]).toEqual([[2], 0]);
  });

  it('are not those of the list that was open before, even while it loads.', async () => {
    const { pages, asked, shown } = pagesOf([first, first]);
    await pages.open({ of: 'all' }, order);
    const opened = pages.open({ of: 'starred' }, order);
    expect(shown()).toEqual([]);

    await opened;
    expect(asked.at(-1)).toEqual([null, 60]);
  });

  it('are replaced by the first one when they are loaded again.', async () => {
    const { pages, asked, shown } = pagesOf([first, last, { ...first, rows: [changed(9)] }]);
    await pages.open({ of: 'all' }, order);
    await pages.loadMore();
    await pages.reload();

    expect([shown(), asked.at(-1)]).toEqual([[9], [null, 60]]);
  });

  it('bring items that had arrived, which are not counted any longer.', async () => {
    const { pages } = pagesOf([first, { rows: [changed(4)], next: null }]);
    await pages.open({ of: 'all' }, { oldestFirst: false, unreadOnly: false });
    await pages.announce([changed(4), changed(6)]);
    await pages.loadMore();

    expect([...pages.arrivedIds.value]).toEqual([6]);
  });

  it('are empty, and load, until the next list is opened.', async () => {
    const { pages, asked, shown } = pagesOf([new Error('away'), first]);
    await pages.open({ of: 'all' }, order);
    pages.clear();
    expect([pages.error.value, pages.hasMore.value, pages.isLoading.value]).toEqual([
      null,
      true,
      true,
    ]);

    await pages.open({ of: 'all' }, order);
    pages.clear();
    expect([shown(), pages.arrivedIds.value.size, asked.length]).toEqual([[], 0, 2]);
  });

  it('are brought up to date from the time of the oldest, as of one kept from before.', async () => {
    const { pages } = pagesOf([first, { ...first, since: 3 }, { ...first, since: 9 }]);
    const known: number[] = [];
    for (const of of ['all', 'unread', 'starred'] as const) {
      await pages.open({ of }, order);
      known.push(pages.since);
    }

    expect(known).toEqual([5, 3, 3]);
  });

  it('skip only many changes of our own.', () => {
    const { pages } = pagesOf([]);
    pages.noteOwn({ marked: 500, since: 9 });
    expect(pages.since).toBe(0);
    pages.noteOwn({ marked: 501, since: 9 });
    expect(pages.since).toBe(9);
  });
});
