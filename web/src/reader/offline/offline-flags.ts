import {
  markPartRead,
  setStarred,
  setUnread,
  type ItemJson,
  type MarkedRead,
} from '../model/items-api.js';
import type { WholeList } from '../model/selection.js';
import { oneTabAtATime, waitingStorage } from './waiting-changes.js';
import {
  countOf,
  nowOrLater,
  sendAll,
  withFlags,
  withList,
  withoutList,
  type Contains,
  type WaitingFlag,
  type WaitingList,
} from './waiting-rules.js';

const WHOLE_LIST = { after: null, oldestFirst: false, unreadOnly: false };

const SET = { unread: setUnread, starred: setStarred };

/** Changes a flag now, or when the connection is restored. */
export async function changeFlag(
  items: readonly Pick<ItemJson, 'id' | 'feedId'>[],
  flag: WaitingFlag['flag'],
  value: boolean,
): Promise<void> {
  const itemIds = items.map(({ id }) => id);
  const flags = items.map(({ id, feedId }) => ({ itemId: id, feedId, flag, value }));
  await nowOrLater(
    waitingStorage,
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
    waitingStorage,
    () => markPartRead(selection, WHOLE_LIST, newestItemId),
    (waiting) => withList(waiting, { selection, newestItemId }, contains),
  );
}

/** @returns whether it was still waiting */
export function withdrawList(list: WaitingList): boolean {
  const now = waitingStorage.read();
  const rest = withoutList(now, list);
  waitingStorage.write(rest);
  return rest.lists.length < now.lists.length;
}

/**
 * One tab at a time.
 *
 * @returns whether something was sent
 */
export async function sendWaitingFlags(): Promise<boolean> {
  return (
    countOf(waitingStorage.read()) > 0 &&
    oneTabAtATime(() =>
      sendAll(waitingStorage, {
        list: ({ selection, newestItemId }) => markPartRead(selection, WHOLE_LIST, newestItemId),
        flags: (itemIds, flag, value) => SET[flag](itemIds, value),
      }),
    )
  );
}
