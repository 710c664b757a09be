import { describe, expect, it } from 'vitest';
import type { Feed } from '../model/feeds-api.js';
import type { WholeList } from '../model/selection.js';
import {
  isTooMuch,
  nowOrLater,
  sendAll,
  waitingStars,
  withFlags,
  withList,
  withoutList,
  withWaitingCounts,
  withWaitingFlags,
  type WaitingChanges,
  type WaitingFlag,
  type WaitingStorage,
} from './waiting-rules.js';

const NOTHING: WaitingChanges = { lists: [], flags: [] };
const FEED_1: WholeList = { of: 'feed', feedId: 1 };
const UNREACHABLE = { status: 0, isUnreachable: true };

const contains = (list: WholeList, feedId: number) => list.of !== 'feed' || list.feedId === feedId;

function flag(itemId: number, name: WaitingFlag['flag'], value: boolean, feedId = 1): WaitingFlag {
  return { itemId, feedId, flag: name, value };
}

function storageOf(now: WaitingChanges): WaitingStorage {
  return { read: () => now, write: (next) => (now = next) };
}

const sendNothing = { list: () => Promise.resolve(), flags: () => Promise.resolve() };

describe('A flag that waits', () => {
  it('has its latest value.', () => {
    const before = withFlags(NOTHING, [flag(7, 'unread', false), flag(7, 'starred', true)]);
    const { flags } = withFlags(before, [flag(7, 'unread', true)]);

    expect(flags).toEqual([flag(7, 'unread', true), flag(7, 'starred', true)]);
  });

  it('is forgotten when its list is marked read later, unless it is a star or of another item.', () => {
    const others = [flag(9, 'unread', true), flag(3, 'unread', true, 2), flag(3, 'starred', true)];
    const before = { lists: [], flags: [flag(8, 'unread', true), ...others] };
    const list = { selection: FEED_1, newestItemId: 8 };

    expect(withList(before, list, contains)).toEqual({ lists: [list], flags: others });
  });
});

it('A list waits once, up to its latest item, until it is withdrawn.', () => {
  const list = { selection: FEED_1, newestItemId: 8 };
  const later = { selection: FEED_1, newestItemId: 9 };
  const other = { selection: { of: 'all' } as const, newestItemId: 8 };
  const now = withList({ lists: [list, other], flags: [] }, later, contains);

  expect(now.lists).toEqual([other, later]);
  expect(withoutList(now, list).lists).toEqual([other, later]);
  expect(withoutList(now, later).lists).toEqual([other]);
});

describe('A change', () => {
  const add = (waiting: WaitingChanges) => withFlags(waiting, [flag(7, 'unread', false)]);

  it('is sent at once and does not wait.', async () => {
    const storage = storageOf(NOTHING);

    expect(await nowOrLater(storage, () => Promise.resolve(3), add)).toEqual({ sent: 3 });
    expect(storage.read()).toEqual(NOTHING);
  });

  it('waits if the service is unreachable.', async () => {
    const storage = storageOf(NOTHING);

    expect(await nowOrLater(storage, () => Promise.reject(UNREACHABLE), add)).toBe('waiting');
    expect(storage.read().flags).toEqual([flag(7, 'unread', false)]);
  });

  it('does not overtake one that waits.', async () => {
    const storage = storageOf({ lists: [], flags: [flag(7, 'unread', true)] });
    const outcome = nowOrLater(storage, () => Promise.reject(new Error('was sent')), add);

    expect(await outcome).toBe('waiting');
    expect(storage.read().flags).toEqual([flag(7, 'unread', false)]);
  });

  it('fails if the service refuses it.', async () => {
    const storage = storageOf(NOTHING);
    const refused = { status: 400, isUnreachable: false };

    await expect(nowOrLater(storage, () => Promise.reject(refused), add)).rejects.toBe(refused);
    expect(storage.read()).toEqual(NOTHING);
  });

  it('is one too many after ten thousand flags or a hundred lists.', () => {
    const flags = Array.from({ length: 10_001 }, (_, id) => flag(id, 'unread', true));
    const lists = Array.from({ length: 101 }, (_, id) => ({ selection: FEED_1, newestItemId: id }));

    expect(isTooMuch({ lists: [], flags }, { lists: [], flags: flags.slice(1) })).toBe(true);
    expect(isTooMuch({ lists, flags: [] }, NOTHING)).toBe(true);
    expect(isTooMuch({ lists: [], flags: flags.slice(1) }, NOTHING)).toBe(false);
    expect(isTooMuch({ lists: [], flags }, { lists: [], flags })).toBe(false);
  });
});

describe('Sending what waits', () => {
  const waiting = {
    lists: [{ selection: FEED_1, newestItemId: 8 }],
    flags: [flag(1, 'unread', true), flag(2, 'unread', false), flag(3, 'starred', true)],
  };

  it('sends lists before flags, and each kind and value of flags together.', async () => {
    const more = [flag(4, 'unread', false), flag(5, 'starred', false)];
    const storage = storageOf({ ...waiting, flags: [...waiting.flags, ...more] });
    const sent: unknown[] = [];
    const isSent = await sendAll(storage, {
      list: (list) => Promise.resolve(sent.push(list)),
      flags: (...asked) => Promise.resolve(sent.push(asked)),
    });

    expect(isSent).toBe(true);
    expect(sent).toEqual([
      waiting.lists[0],
      [[1], 'unread', true],
      [[2, 4], 'unread', false],
      [[3], 'starred', true],
      [[5], 'starred', false],
    ]);
    expect(storage.read()).toEqual(NOTHING);
    expect(await sendAll(storage, sendNothing)).toBe(false);
  });

  it.each([
    ['refused with 400', 400, 0],
    ['refused with 404', 404, 0],
    ['refused with 401, since the session has ended', 401, 1],
    ['refused with 429, since it is too early', 429, 1],
    ['answered with 500', 500, 1],
    ['not answered', 0, 1],
  ])('keeps or drops a mark that is %s.', async (_, status, left) => {
    const storage = storageOf({ ...waiting, lists: [] });
    const failure = { status };
    const sending = sendAll(storage, {
      ...sendNothing,
      flags: ([id]) => (id === 2 ? Promise.reject(failure) : Promise.resolve()),
    });

    await expect(sending).rejects.toBe(failure);
    const kept = storage.read().flags.map(({ itemId }) => itemId);
    expect(kept).toEqual(left === 1 ? [2, 3] : [3]);
  });

  it('keeps a flag that is changed back meanwhile.', async () => {
    const storage = storageOf({ lists: [], flags: [flag(7, 'unread', false)] });
    await sendAll(storage, {
      ...sendNothing,
      flags: () =>
        Promise.resolve(storage.write(withFlags(storage.read(), [flag(7, 'unread', true)]))),
    });

    expect(storage.read().flags).toEqual([flag(7, 'unread', true)]);
  });
});

describe('What is shown while changes wait', () => {
  const item = { id: 5, feedId: 1, unread: true, starred: false };

  it('are items with the flags that wait, and read ones of lists that are marked.', () => {
    const lists = [{ selection: FEED_1, newestItemId: 8 }];
    const items = [item, { ...item, id: 6 }, { ...item, id: 9 }, { ...item, feedId: 2, id: 4 }];
    const shown = withWaitingFlags(
      { lists, flags: [flag(6, 'unread', true), flag(9, 'starred', true)] },
      items,
      contains,
    );

    expect(shown.map(({ id, unread, starred }) => [id, unread, starred])).toEqual([
      [5, false, false],
      [6, true, false],
      [9, true, true],
      [4, true, false],
    ]);
    expect(withWaitingFlags(NOTHING, items, contains)).toBe(items);
  });

  it('are feeds with counts after the changes, which are never negative, and stars.', () => {
    const feeds = [1, 2, 3].map((id) => ({ id, unreadCount: 1 }) as Feed);
    const waiting = {
      lists: [{ selection: FEED_1, newestItemId: 8 }],
      flags: [
        flag(9, 'unread', true, 1),
        flag(3, 'unread', false, 2),
        flag(4, 'unread', false, 2),
        flag(5, 'starred', true, 3),
        flag(6, 'starred', true, 3),
        flag(7, 'starred', false, 3),
      ],
    };
    const counts = withWaitingCounts(waiting, feeds, contains).map((feed) => feed.unreadCount);

    expect(counts).toEqual([1, 0, 1]);
    expect(waitingStars(waiting)).toBe(1);
  });
});
