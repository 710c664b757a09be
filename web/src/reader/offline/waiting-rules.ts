import type { Feed } from '../model/feeds-api.js';
import type { ItemJson } from '../model/items-api.js';
import { keyOf, type WholeList } from '../model/selection.js';

/** A flag of an item, as set while the service could not be reached. */
export interface WaitingFlag {
  readonly itemId: number;
  readonly feedId: number;
  readonly flag: 'unread' | 'starred';
  readonly value: boolean;
}

/** A list marked read, up to an item id. */
export interface WaitingList {
  readonly selection: WholeList;
  readonly newestItemId: number;
}

export interface WaitingChanges {
  /** Applied first: a flag that was set before such a mark is removed from `flags`. */
  readonly lists: readonly WaitingList[];
  readonly flags: readonly WaitingFlag[];
}

/** Where waiting changes are kept; other tabs change them as well. */
export interface WaitingStorage {
  read(): WaitingChanges;
  /** @throws RequestFailed when too many changes are waiting or the browser cannot store them */
  write(now: WaitingChanges): void;
}

export interface Senders {
  list(list: WaitingList): Promise<unknown>;
  flags(itemIds: readonly number[], flag: WaitingFlag['flag'], value: boolean): Promise<unknown>;
}

/** Whether a list has the items of a feed. */
export type Contains = (list: WholeList, feedId: number) => boolean;

/** The part of `RequestFailed` that decides here. */
type Failure = { readonly status?: number; readonly isUnreachable?: boolean };

/** About 1 MB of the 5 MB that browsers allow a site. */
const MOST_FLAGS = 10_000;
const MOST_LISTS = 100;

export function countOf({ lists, flags }: WaitingChanges): number {
  return lists.length + flags.length;
}

/** Whether the changes may not be stored; those that are stored may become fewer. */
export function isTooMuch(now: WaitingChanges, before: WaitingChanges): boolean {
  const isMany = now.flags.length > MOST_FLAGS || now.lists.length > MOST_LISTS;
  return isMany && countOf(now) > countOf(before);
}

/**
 * Changes flags now, or as soon as the service can be reached again.
 *
 * @param add the change, to be queued
 * @throws RequestFailed when the service refuses, or when too many changes are waiting
 */
export async function nowOrLater<T>(
  storage: WaitingStorage,
  send: () => Promise<T>,
  add: (waiting: WaitingChanges) => WaitingChanges,
): Promise<{ readonly sent: T } | 'waiting'> {
  if (countOf(storage.read()) === 0) {
    try {
      return { sent: await send() };
    } catch (error) {
      if ((error as Failure).isUnreachable !== true) {
        throw error;
      }
    }
  }
  // A change must not overtake an earlier one of the same item.
  storage.write(add(storage.read()));
  return 'waiting';
}

/** Later values of a flag replace earlier ones. */
export function withFlags(
  { lists, flags }: WaitingChanges,
  added: readonly WaitingFlag[],
): WaitingChanges {
  const nameOf = ({ itemId, flag }: WaitingFlag) => `${flag} ${itemId}`;
  const byName = new Map([...flags, ...added].map((flag) => [nameOf(flag), flag]));
  return { lists, flags: [...byName.values()] };
}

/** Flags of the list that were set before are not sent. */
export function withList(
  { lists, flags }: WaitingChanges,
  added: WaitingList,
  contains: Contains,
): WaitingChanges {
  const isOther = ({ selection }: WaitingList) => keyOf(selection) !== keyOf(added.selection);
  return {
    lists: [...lists.filter(isOther), added],
    flags: flags.filter(
      ({ itemId, feedId, flag }) =>
        flag !== 'unread' || itemId > added.newestItemId || !contains(added.selection, feedId),
    ),
  };
}

export function withoutList(waiting: WaitingChanges, list: WaitingList): WaitingChanges {
  const isSame = ({ selection, newestItemId }: WaitingList) =>
    keyOf(selection) === keyOf(list.selection) && newestItemId === list.newestItemId;
  return { ...waiting, lists: waiting.lists.filter((other) => !isSame(other)) };
}

/**
 * Sends waiting changes. Refused changes are dropped.
 *
 * @returns whether something was sent
 * @throws RequestFailed when the service refused a change or cannot be reached
 */
export async function sendAll(storage: WaitingStorage, senders: Senders): Promise<boolean> {
  const { lists, flags } = storage.read();
  for (const list of lists) {
    await sent(storage, senders.list(list), (now) => withoutList(now, list));
  }
  for (const flag of ['unread', 'starred'] as const) {
    for (const value of [true, false]) {
      const chosen = flags.filter((one) => one.flag === flag && one.value === value);
      const itemIds = chosen.map(({ itemId }) => itemId);
      if (itemIds.length > 0) {
        // Keeps a flag that was changed again.
        const isSent = new Set(itemIds);
        await sent(storage, senders.flags(itemIds, flag, value), (now) => ({
          ...now,
          flags: now.flags.filter(
            (one) => !(one.flag === flag && one.value === value && isSent.has(one.itemId)),
          ),
        }));
      }
    }
  }
  return lists.length + flags.length > 0;
}

async function sent(
  storage: WaitingStorage,
  sending: Promise<unknown>,
  remove: (waiting: WaitingChanges) => WaitingChanges,
): Promise<void> {
  try {
    await sending;
  } catch (error) {
    const { status = 0 } = error as Failure;
    // 401: the session has ended; 429: later.
    if (status >= 400 && status < 500 && status !== 401 && status !== 429) {
      storage.write(remove(storage.read()));
    }
    throw error;
  }
  storage.write(remove(storage.read()));
}

/** The items after the waiting changes. */
export function withWaitingFlags<T extends Pick<ItemJson, 'id' | 'feedId' | 'unread' | 'starred'>>(
  { lists, flags }: WaitingChanges,
  items: readonly T[],
  contains: Contains,
): readonly T[] {
  if (lists.length + flags.length === 0) {
    return items;
  }
  const valueOf = new Map(flags.map(({ itemId, flag, value }) => [`${flag} ${itemId}`, value]));
  return items.map((item) => {
    const isMarked = lists.some(
      ({ selection, newestItemId }) => item.id <= newestItemId && contains(selection, item.feedId),
    );
    return {
      ...item,
      unread: valueOf.get(`unread ${item.id}`) ?? (item.unread && !isMarked),
      starred: valueOf.get(`starred ${item.id}`) ?? item.starred,
    };
  });
}

/** Feeds with the unread counts that they have when the waiting changes are applied. */
export function withWaitingCounts(
  { lists, flags }: WaitingChanges,
  feeds: readonly Feed[],
  contains: Contains,
): readonly Feed[] {
  const added = new Map<number, number>();
  for (const { feedId, flag, value } of flags) {
    if (flag === 'unread') {
      added.set(feedId, (added.get(feedId) ?? 0) + (value ? 1 : -1));
    }
  }
  return feeds.map((feed) => {
    const isMarked = lists.some(({ selection }) => contains(selection, feed.id));
    const unreadCount = (isMarked ? 0 : feed.unreadCount) + (added.get(feed.id) ?? 0);
    return { ...feed, unreadCount: Math.max(0, unreadCount) };
  });
}

/** Change of the number of starred items by the waiting changes. */
export function waitingStars({ flags }: WaitingChanges): number {
  return flags
    .filter(({ flag }) => flag === 'starred')
    .reduce((sum, { value }) => sum + (value ? 1 : -1), 0);
}
