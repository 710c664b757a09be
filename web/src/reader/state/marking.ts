import type { Headline, ListOrder } from '../model/items-api.js';
import { isWholeList, type Selection } from '../model/selection.js';
import type { FeedsStore } from './feeds.store.js';
import type { ItemFlags } from './item-flags.js';
import type { ListPages } from './list-pages.js';
import type { LoadedItems } from './loaded-items.js';

/** Items that were marked read. */
export interface MarkedItems {
  readonly count: number;
  readonly undo: () => Promise<void>;
}

/** What the service, or the storage of changes that wait for it, is asked. */
type Requests = Pick<
  typeof import('../model/items-api.js'),
  'listRows' | 'markPartRead' | 'setUnread' | 'undoMarking'
> &
  Pick<typeof import('../offline/offline-flags.js'), 'markListRead' | 'withdrawList'>;

/** A list that is not shown. */
const WHOLE_LIST: ListOrder = { oldestFirst: false, unreadOnly: false };
/** Per page of a search. */
const PAGE = 200;

/** Marks lists and parts of them read, with undo. */
export class Marking {
  constructor(
    private readonly pages: ListPages,
    private readonly items: LoadedItems,
    private readonly flags: ItemFlags,
    private readonly feeds: FeedsStore,
    private readonly requests: Requests,
  ) {}

  /**
   * Marks a list read, except items that arrived after it was loaded.
   *
   * @returns null when nothing was unread
   */
  readonly markAllRead = (which: Selection): Promise<MarkedItems | null> => {
    const isShown = which === this.pages.selection.value;
    const unreadEntries = this.items.list.entries.value.filter(
      (entry) => entry.unread && (isShown || this.feeds.holds(which, entry)),
    );
    return this.#mark(which, isShown ? this.pages.order.value : WHOLE_LIST, null, unreadEntries);
  };

  /** Marks the loaded entries before an entry read. @returns null when nothing was unread */
  readonly markAboveRead = async (id: number): Promise<MarkedItems | null> => {
    const { list } = this.items;
    const above = list.entries.value.slice(0, Math.max(0, list.indexOf(id)));
    const marked = above.filter(({ unread }) => unread);
    if (marked.length === 0) {
      return null;
    }
    const ids = marked.map((entry) => entry.id);
    await this.flags.changeUnread(ids, false);
    return { count: ids.length, undo: () => this.flags.markUnread(marked) };
  };

  /** Marks everything after an entry read, loaded or not. @returns null when nothing was unread */
  readonly markBelowRead = async (id: number): Promise<MarkedItems | null> => {
    const { list } = this.items;
    const entry = list.find(id);
    if (entry === undefined) {
      return null;
    }
    const below = list.entries.value.slice(list.indexOf(id) + 1).filter(({ unread }) => unread);
    return this.#mark(this.pages.selection.value, this.pages.order.value, entry.place, below);
  };

  /**
   * Marks part of a list read: the items when it was loaded, and the shown ones.
   *
   * @param shown the unread entries of that part
   */
  async #mark(
    which: Selection,
    order: ListOrder,
    after: string | null,
    shown: readonly Headline[],
  ): Promise<MarkedItems | null> {
    if (which.of === 'search') {
      return this.#markFound(which, after);
    }
    const isShown = which === this.pages.selection.value;
    const newestItemId = (isShown && this.pages.listedUpToId) || this.feeds.newestItemId;
    const later = shown.filter(({ id }) => id > newestItemId).map(({ id }) => id);
    const whole = after === null && isWholeList(which) ? which : null;
    if (whole !== null) {
      const inList = this.feeds.feeds.filter(({ id }) => this.feeds.contains(whole, id));
      this.feeds.countUnread(new Map(inList.map(({ id, unreadCount }) => [id, -unreadCount])));
    }
    const outcome = await this.#change(shown, false, async () => {
      await this.requests.setUnread(later, false);
      return whole === null
        ? { sent: await this.requests.markPartRead(which, { ...order, after }, newestItemId) }
        : this.requests.markListRead(whole, newestItemId, this.feeds.contains);
    });
    if (outcome === 'waiting') {
      return { count: shown.length, undo: () => this.#withdraw(which, newestItemId, shown) };
    }
    const { marked, undo } = this.pages.noteOwn(outcome.sent);
    const undoAll = async () => {
      this.pages.noteOwn(await this.requests.undoMarking(undo));
      await this.requests.setUnread(later, true);
    };
    const count = marked + later.length;
    return count === 0 ? null : { count, undo: () => this.#change(shown, true, undoAll) };
  }

  /** Shown at once, and undone when the service refuses. */
  async #change<T>(
    shown: readonly Headline[],
    unread: boolean,
    work: () => Promise<T>,
  ): Promise<T> {
    this.#show(shown, unread);
    try {
      await this.feeds.changesSent();
      const outcome = await this.feeds.whileChanging(work());
      await (outcome === 'waiting' ? undefined : this.feeds.load());
      return outcome;
    } catch (failure) {
      this.#show(shown, !unread);
      await this.feeds.load();
      throw failure;
    }
  }

  #show(shown: readonly Pick<Headline, 'id'>[], unread: boolean): void {
    shown.forEach(({ id }) => this.items.show(id, { unread }));
    this.items.list.publish();
  }

  /** Undoes the marking of a list that waits for a connection, or did. */
  async #withdraw(
    selection: Selection,
    newestItemId: number,
    shown: readonly Headline[],
  ): Promise<void> {
    if (isWholeList(selection) && this.requests.withdrawList({ selection, newestItemId })) {
      this.#show(shown, true);
      await this.feeds.load();
      return;
    }
    await this.flags.markUnread(shown);
  }

  /** Marks the results of a search, which the service cannot mark as a whole. */
  async #markFound(which: Selection, afterPlace: string | null): Promise<MarkedItems | null> {
    const found: { readonly id: number }[] = [];
    for (let after = afterPlace, isEnd = false; !isEnd;) {
      const asked = { oldestFirst: false, unreadOnly: true, after, batchSize: PAGE };
      const page = await this.requests.listRows(which, asked);
      found.push(...page.rows);
      after = page.next;
      isEnd = after === null;
    }
    if (found.length === 0) {
      return null;
    }
    const ids = found.map(({ id }) => id);
    const change = async (unread: boolean) => {
      await this.feeds.whileChanging(this.requests.setUnread(ids, unread));
      this.#show(found, unread);
      await this.feeds.load();
    };
    await change(false);
    return { count: ids.length, undo: () => change(true) };
  }
}
