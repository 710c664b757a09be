import type { ShallowRef } from 'vue';
import type { EntryList } from './entry-list.js';
import type { Flags } from '../model/entry.js';
import { useFeeds } from './feeds.store.js';
import {
  isWholeList,
  listRows,
  markPartRead,
  setUnread,
  undoMarking,
  type ListOrder,
  type Marked,
  type Headline,
} from '../model/items-api.js';
import { markListRead } from '../offline/offline-flags.js';
import { withdrawList } from '../offline/waiting-changes.js';
import type { Selection } from '../model/selection.js';

/** Items that were marked read. */
export interface MarkedItems {
  readonly count: number;
  readonly undo: () => Promise<void>;
}

/** The list that is shown, as the store of items has it. */
interface ShownItems {
  readonly list: EntryList;
  /** Newest item when the list was loaded; 0 when it is unknown. */
  readonly listedUpToId: () => number;
  readonly selection: ShallowRef<Selection>;
  readonly order: ShallowRef<ListOrder>;
  readonly show: (id: number, now: Flags) => void;
  readonly changeUnread: (ids: readonly number[], unread: boolean) => Promise<void>;
  readonly noteOwn: <Change extends Marked>(change: Change) => Change;
}

/** A list that is not shown. */
const WHOLE_LIST: ListOrder = { oldestFirst: false, unreadOnly: false };
/** Per page of a search. */
const PAGE = 200;

/** Marks lists and parts of them read, with undo. */
export function useMarking({ list, selection, order, ...items }: ShownItems) {
  const feeds = useFeeds();
  const { show, changeUnread, noteOwn } = items;

  /**
   * Marks a list read, except items that arrived after it was loaded.
   *
   * @returns null when nothing was unread
   */
  async function markAllRead(which: Selection): Promise<MarkedItems | null> {
    const isShown = which === selection.value;
    const unreadEntries = list.entries.value.filter(
      (entry) => entry.unread && (isShown || feeds.holds(which, entry)),
    );
    return markRead(which, isShown ? order.value : WHOLE_LIST, null, unreadEntries);
  }

  /** Marks the loaded entries before an entry read. @returns null when nothing was unread */
  async function markAboveRead(id: number): Promise<MarkedItems | null> {
    const above = list.entries.value.slice(0, Math.max(0, list.indexOf(id)));
    const ids = above.filter(({ unread }) => unread).map((entry) => entry.id);
    if (ids.length === 0) {
      return null;
    }
    await changeUnread(ids, false);
    return { count: ids.length, undo: () => changeUnread(ids, true) };
  }

  /** Marks everything after an entry read, loaded or not. @returns null when nothing was unread */
  async function markBelowRead(id: number): Promise<MarkedItems | null> {
    const entry = list.find(id);
    if (entry === undefined) {
      return null;
    }
    const below = list.entries.value.slice(list.indexOf(id) + 1).filter(({ unread }) => unread);
    return markRead(selection.value, order.value, entry.place, below);
  }

  /**
   * Marks part of a list read: the items when it was loaded, and the shown ones.
   *
   * @param shown the unread entries of that part
   */
  async function markRead(
    which: Selection,
    chosenOrder: ListOrder,
    after: string | null,
    shown: readonly Headline[],
  ): Promise<MarkedItems | null> {
    if (which.of === 'search') {
      return markFoundRead(which, after);
    }
    const newestItemId =
      which === selection.value ? items.listedUpToId() || feeds.newestItemId : feeds.newestItemId;
    const part = { ...chosenOrder, after };
    const later = shown.filter(({ id }) => id > newestItemId).map(({ id }) => id);
    const showAll = (unread: boolean) => {
      shown.forEach(({ id }) => show(id, { unread }));
      list.publish();
    };
    const changeAll = async <T>(unread: boolean, work: () => Promise<T>): Promise<T> => {
      showAll(unread);
      try {
        await feeds.changesSent();
        const outcome = await feeds.whileChanging(work());
        await (outcome === 'waiting' ? undefined : feeds.load());
        return outcome;
      } catch (failure) {
        showAll(!unread);
        await feeds.load();
        throw failure;
      }
    };
    if (after === null && isWholeList(which)) {
      const inList = feeds.feeds.filter(({ id }) => feeds.contains(which, id));
      feeds.countUnread(new Map(inList.map(({ id, unreadCount }) => [id, -unreadCount])));
    }
    const outcome = await changeAll(false, async () => {
      await setUnread(later, false);
      return after === null && isWholeList(which)
        ? markListRead(which, newestItemId, feeds.contains)
        : { sent: await markPartRead(which, part, newestItemId) };
    });
    if (outcome === 'waiting') {
      return { count: shown.length, undo: () => withdraw(which, newestItemId, shown, showAll) };
    }
    const { marked, undo } = noteOwn(outcome.sent);
    if (marked + later.length === 0) {
      return null;
    }
    const undoAll = async () => {
      noteOwn(await undoMarking(undo));
      await setUnread(later, true);
    };
    return { count: marked + later.length, undo: () => changeAll(true, undoAll) };
  }

  /** Undoes the marking of a list that waits for a connection, or did. */
  async function withdraw(
    selectionOfMark: Selection,
    newestItemId: number,
    shown: readonly Headline[],
    showAll: (unread: boolean) => void,
  ): Promise<void> {
    const isWithdrawn =
      isWholeList(selectionOfMark) && withdrawList({ selection: selectionOfMark, newestItemId });
    if (!isWithdrawn) {
      await changeUnread(
        shown.map(({ id }) => id),
        true,
      );
      return;
    }
    showAll(true);
    await feeds.load();
  }

  /** Marks the results of a search, which the service cannot mark as a whole. */
  async function markFoundRead(
    which: Selection,
    afterPlace: string | null,
  ): Promise<MarkedItems | null> {
    const ids: number[] = [];
    for (let after = afterPlace, isEnd = false; !isEnd;) {
      const page = await listRows(which, {
        oldestFirst: false,
        unreadOnly: true,
        after,
        batchSize: PAGE,
      });
      ids.push(...page.rows.map(({ id }) => id));
      after = page.next;
      isEnd = after === null;
    }
    if (ids.length === 0) {
      return null;
    }
    const change = async (unread: boolean) => {
      await feeds.whileChanging(setUnread(ids, unread));
      ids.forEach((id) => show(id, { unread }));
      list.publish();
      await feeds.load();
    };
    await change(false);
    return { count: ids.length, undo: () => change(true) };
  }

  return { markAllRead, markAboveRead, markBelowRead };
}
