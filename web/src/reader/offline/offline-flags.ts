import type { Feed } from '../model/feeds-api.js';
import {
  markPartRead,
  setStarred,
  setUnread,
  type ItemJson,
  type MarkedRead,
  type WholeList,
} from '../model/items-api.js';
import {
  nowOrLater,
  sendWaiting,
  waitingChanges,
  withFlags,
  withList,
  type WaitingFlag,
} from './waiting-changes.js';

type Contains = (list: WholeList, feedId: number) => boolean;
type ItemOfFeed = Pick<ItemJson, 'id' | 'feedId'>;

const WHOLE_LIST = { after: null, oldestFirst: false, unreadOnly: false };

const SET = { unread: setUnread, starred: setStarred };

/** Changes a flag now, or when the connection is restored. */
export async function changeFlag(
  items: readonly ItemOfFeed[],
  flag: WaitingFlag['flag'],
  value: boolean,
): Promise<void> {
  const itemIds = items.map(({ id }) => id);
  const flags = items.map(({ id, feedId }) => ({ itemId: id, feedId, flag, value }));
  await nowOrLater(
    () => SET[flag](itemIds, value),
    (waiting) => withFlags(waiting, flags),
  );
}

/** Marks a list read now, or when the connection is restored; excludes later items. */
export function markListRead(
  selection: WholeList,
  newestItemId: number,
  contains: Contains,
): Promise<{ readonly sent: MarkedRead } | 'waiting'> {
  return nowOrLater(
    () => markPartRead(selection, WHOLE_LIST, newestItemId),
    (waiting) =>
      withList(
        waiting,
        { selection, newestItemId },
        ({ itemId, feedId }) => itemId <= newestItemId && contains(selection, feedId),
      ),
  );
}

/** @returns whether something was sent */
export function sendWaitingFlags(): Promise<boolean> {
  return sendWaiting({
    list: ({ selection, newestItemId }) => markPartRead(selection, WHOLE_LIST, newestItemId),
    flags: (itemIds, flag, value) => SET[flag](itemIds, value),
  });
}

/** The items after the waiting changes. */
export function withWaitingFlags<T extends Pick<ItemJson, 'id' | 'feedId' | 'unread' | 'starred'>>(
  items: readonly T[],
  contains: Contains,
): readonly T[] {
  const { lists, flags } = waitingChanges.value;
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
export function withWaitingCounts(feeds: readonly Feed[], contains: Contains): readonly Feed[] {
  const { lists, flags } = waitingChanges.value;
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
export function waitingStars(): number {
  return waitingChanges.value.flags
    .filter(({ flag }) => flag === 'starred')
    .reduce((sum, { value }) => sum + (value ? 1 : -1), 0);
}
