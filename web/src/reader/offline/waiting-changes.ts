import { shallowRef, watchEffect } from 'vue';
import { reportWaiting } from '../../host/connection.js';
import { RequestFailed } from '../../host/http.js';
import { localValue } from '../../host/local-values.js';
import { page } from '../../host/page-context.js';
import type { WholeList } from '../model/items-api.js';
import { keyOf } from '../model/selection.js';

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

const NOTHING: WaitingChanges = { lists: [], flags: [] };
const STORED_AS = `gatefold-waiting-${page.userId}`;
/** About 1 MB of the 5 MB that browsers allow a site. */
const MOST_FLAGS = 10_000;
const MOST_LISTS = 100;

/** Changes of flags that were made offline and are not sent yet; kept when the page is closed. */
export const waitingChanges = shallowRef<WaitingChanges>(stored());

watchEffect(() => reportWaiting(countOf(waitingChanges.value)));

// Another tab has added or sent changes.
addEventListener('storage', ({ key }) => {
  if (key === STORED_AS) {
    waitingChanges.value = stored();
  }
});

/**
 * Changes flags now, or as soon as the service can be reached again.
 *
 * @param add the change, to be queued
 * @throws RequestFailed when the service refuses, or when too many changes are waiting
 */
export async function nowOrLater<T>(
  send: () => Promise<T>,
  add: (waiting: WaitingChanges) => WaitingChanges,
): Promise<{ readonly sent: T } | 'waiting'> {
  if (countOf(waitingChanges.value) === 0) {
    try {
      return { sent: await send() };
    } catch (error) {
      if (!(error instanceof RequestFailed && error.isUnreachable)) {
        throw error;
      }
    }
  }
  // A change must not overtake an earlier one of the same item.
  store(add(stored()));
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

/** @param isIncluded whether an item belongs to the list that is marked read */
export function withList(
  { lists, flags }: WaitingChanges,
  added: WaitingList,
  isIncluded: (flag: WaitingFlag) => boolean,
): WaitingChanges {
  const isOther = ({ selection }: WaitingList) => keyOf(selection) !== keyOf(added.selection);
  return {
    lists: [...lists.filter(isOther), added],
    flags: flags.filter((flag) => flag.flag !== 'unread' || !isIncluded(flag)),
  };
}

/** @returns whether it was still waiting */
export function withdrawList(list: WaitingList): boolean {
  const now = stored();
  const lists = now.lists.filter((other) => !isSame(other, list));
  store({ ...now, lists });
  return lists.length < now.lists.length;
}

interface Senders {
  readonly list: (list: WaitingList) => Promise<unknown>;
  readonly flags: (
    itemIds: readonly number[],
    flag: WaitingFlag['flag'],
    value: boolean,
  ) => Promise<unknown>;
}

/**
 * Sends waiting changes, one tab at a time. Refused changes are dropped.
 *
 * @returns whether something was sent
 * @throws RequestFailed when the service refused a change or cannot be reached
 */
export async function sendWaiting(senders: Senders): Promise<boolean> {
  if (countOf(stored()) === 0) {
    return false;
  }
  return oneTabAtATime(async () => {
    const { lists, flags } = stored();
    for (const list of lists) {
      await sent(senders.list(list), (now) => ({
        ...now,
        lists: now.lists.filter((other) => !isSame(other, list)),
      }));
    }
    for (const flag of ['unread', 'starred'] as const) {
      for (const value of [true, false]) {
        const chosen = flags.filter((one) => one.flag === flag && one.value === value);
        const itemIds = chosen.map(({ itemId }) => itemId);
        if (itemIds.length > 0) {
          // Keeps a flag that was changed again.
          const isSent = new Set(itemIds);
          await sent(senders.flags(itemIds, flag, value), (now) => ({
            ...now,
            flags: now.flags.filter(
              (one) => !(one.flag === flag && one.value === value && isSent.has(one.itemId)),
            ),
          }));
        }
      }
    }
    return lists.length + flags.length > 0;
  });
}

/** Browsers have locks only with https, and on the own machine. Without them two tabs may send the same. */
async function oneTabAtATime<T>(work: () => Promise<T>): Promise<T> {
  return 'locks' in navigator ? navigator.locks.request(STORED_AS, work) : work();
}

async function sent(
  sending: Promise<unknown>,
  remove: (waiting: WaitingChanges) => WaitingChanges,
): Promise<void> {
  try {
    await sending;
  } catch (error) {
    const isRefused = error instanceof RequestFailed && error.status >= 400 && error.status < 500;
    // 401: the session has ended; 429: later.
    if (isRefused && error.status !== 401 && error.status !== 429) {
      store(remove(stored()));
    }
    throw error;
  }
  store(remove(stored()));
}

function isSame(one: WaitingList, other: WaitingList): boolean {
  return keyOf(one.selection) === keyOf(other.selection) && one.newestItemId === other.newestItemId;
}

/** @throws RequestFailed when too many changes are waiting or the browser cannot store them */
function store(now: WaitingChanges): void {
  const isTooMuch = now.flags.length > MOST_FLAGS || now.lists.length > MOST_LISTS;
  if (isTooMuch && countOf(now) > countOf(waitingChanges.value)) {
    throw new RequestFailed('', 0);
  }
  try {
    localStorage.setItem(STORED_AS, JSON.stringify(now));
  } catch {
    throw new RequestFailed('', 0);
  }
  waitingChanges.value = now;
}

function stored(): WaitingChanges {
  return (localValue(STORED_AS) as WaitingChanges | null) ?? NOTHING;
}

function countOf({ lists, flags }: WaitingChanges): number {
  return lists.length + flags.length;
}
