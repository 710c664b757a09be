import { undoing } from '../../host/undoing.js';
import type { Headline } from '../model/items-api.js';
import type { LabelChange } from '../model/labels-api.js';
import type { FeedsStore } from './feeds.store.js';
import type { LoadedItems } from './loaded-items.js';

type Marked = Pick<Headline, 'id' | 'feedId' | 'labels' | 'copies'>;

/** Flags and labels of items. Optimistic: shown at once and undone when the service refuses. */
export class ItemFlags {
  /** Marked unread by the user; only the user marks them read. */
  readonly #keptUnread = new Set<number>();

  constructor(
    private readonly items: LoadedItems,
    private readonly feeds: FeedsStore,
    private readonly changeFlag: typeof import('../offline/offline-flags.js').changeFlag,
    private readonly changeLabelsOf: typeof import('../model/labels-api.js').changeLabelsOf,
  ) {}

  readonly changeUnread = async (ids: readonly number[], unread: boolean): Promise<void> => {
    const given = ids.flatMap((id) => this.items.find(id) ?? []);
    // Who has read a story has read its copies.
    const copies = unread ? [] : given.flatMap(({ copies = [] }) => copies);
    const changed = [...given, ...copies].filter((item) => item.unread !== unread);
    await this.#change(
      [...new Map(changed.map((item) => [item.id, item])).values()],
      'unread',
      unread,
    );
  };

  /** Undoes that items were marked read, which another list may have been opened after. */
  readonly markUnread = (items: readonly Marked[]): Promise<void> =>
    this.#change(
      items.filter(({ id }) => this.items.find(id)?.unread !== true),
      'unread',
      true,
    );

  /** Marks items read that were opened or scrolled past, except items that the user keeps unread. */
  readonly markSeen = (ids: readonly number[]): Promise<void> =>
    this.changeUnread(
      ids.filter((id) => !this.#keptUnread.has(id)),
      false,
    );

  readonly toggleUnread = (id: number): Promise<void> => {
    const unread = this.items.find(id)?.unread === false;
    if (unread) {
      this.#keptUnread.add(id);
    } else {
      this.#keptUnread.delete(id);
    }
    return this.changeUnread([id], unread);
  };

  readonly toggleStarred = async (id: number): Promise<void> => {
    const item = this.items.find(id);
    await this.#change(item === undefined ? [] : [item], 'starred', item?.starred === false);
  };

  readonly changeLabels = async (id: number, change: LabelChange): Promise<void> => {
    const before = this.items.find(id)?.labels ?? [];
    const kept = before.filter((name) => !change.remove.includes(name));
    const show = (labels: readonly string[]) => {
      this.items.show(id, { labels });
      this.items.list.publish();
    };
    show([...new Set([...kept, ...change.add])]);
    await undoing(this.feeds.whileChanging(this.changeLabelsOf([id], change)), () => show(before));
    await this.feeds.load();
  };

  async #change(
    items: readonly Marked[],
    flag: 'unread' | 'starred',
    value: boolean,
  ): Promise<void> {
    if (items.length === 0) {
      return;
    }
    this.#show(items, flag, value);
    const sent = this.feeds.whileChanging(this.changeFlag(items, flag, value));
    await undoing(sent, () => this.#show(items, flag, !value));
  }

  #show(items: readonly Marked[], flag: 'unread' | 'starred', value: boolean): void {
    for (const { id, copies } of items) {
      this.items.show(id, { [flag]: value });
      if (flag === 'unread' && !value && copies !== undefined) {
        this.items.list.change(id, { copies: copies.map((copy) => ({ ...copy, unread: false })) });
      }
    }
    this.items.list.publish();
    const by = value ? 1 : -1;
    if (flag === 'starred') {
      this.feeds.countStarred(by * items.length);
      return;
    }
    const added = new Map<number, number>();
    for (const { feedId } of items) {
      added.set(feedId, (added.get(feedId) ?? 0) + by);
    }
    this.feeds.countUnread(added);
    this.feeds.countLabelled(
      items.flatMap(({ labels = [] }) => labels),
      by,
    );
  }
}
