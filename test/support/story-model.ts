/*
 * What "each story once" must have done to a user's items, written only for tests. A story is a title.
 */

export interface ModelItem {
  readonly id: number;
  readonly articleId: number;
  readonly feedId: number;
  readonly title: string;
  unread: boolean;
  starred: boolean;
  filtered: boolean;
  duplicateOf: number | null;
  /** Since its delivery, by the user. */
  isTouched: boolean;
  /** Marked read for its story: once; `undone` when its publisher, or the leaving of a feed, made it unread again. */
  mark: 'none' | 'done' | 'undone';
  /** The user marked it as it was, or a list that had it, since rules or stories marked it. */
  isCovered: boolean;
  /** The user marked it as it was: what marked it is no more the last. */
  isKept: boolean;
}

export type NewModelItem = Pick<ModelItem, 'id' | 'articleId' | 'feedId' | 'title'>;

export class StoryModel {
  #items: ModelItem[] = [];
  isOn = false;
  readonly alwaysShown = new Set<number>();
  /** Articles that were compared with others. */
  readonly known = new Set<number>();

  /** @param isHidden by the user's rule */
  constructor(private readonly isHidden: (item: NewModelItem) => boolean) {}

  get items(): readonly ModelItem[] {
    return this.#items;
  }

  states() {
    const ids = new Set(this.#items.map(({ id }) => id));
    return this.#items.map(({ id, unread, starred, filtered, duplicateOf }) => ({
      id,
      unread,
      starred,
      filtered,
      duplicateOf: duplicateOf !== null && ids.has(duplicateOf) ? duplicateOf : null,
    }));
  }

  /** New items, and those whose article changed, which become unread in some feeds. */
  deliver(
    fresh: readonly NewModelItem[],
    changed: ReadonlySet<number>,
    makesUnread: (feedId: number) => boolean,
  ): void {
    for (const item of this.#items.filter(({ articleId }) => changed.has(articleId))) {
      item.isTouched ||= item.isCovered;
      if (makesUnread(item.feedId)) {
        item.unread ||= !item.filtered;
        item.isCovered = false;
        item.mark = item.mark === 'done' ? 'undone' : item.mark;
        item.duplicateOf = this.isOn ? null : item.duplicateOf;
      }
    }
    for (const item of fresh) {
      const isHidden = this.isHidden(item);
      this.#items.push({
        ...item,
        unread: !isHidden,
        starred: false,
        filtered: isHidden,
        duplicateOf: null,
        isTouched: false,
        mark: 'none',
        isCovered: false,
        isKept: false,
      });
    }
    this.foldAll(fresh.map(({ title }) => title));
  }

  mark(itemIds: readonly number[], flag: 'read' | 'starred', value: boolean): void {
    for (const item of this.#items.filter(({ id }) => itemIds.includes(id))) {
      const isChange = flag === 'read' ? item.unread === value : item.starred !== value;
      item.isTouched ||= isChange;
      item.isKept = item.isKept || !isChange;
      item.isCovered ||= !isChange && (item.mark !== 'none' || item.filtered);
      if (flag === 'read') {
        item.unread = !value;
      } else {
        item.starred = value;
      }
    }
  }

  markList(isInList: (item: ModelItem) => boolean): void {
    for (const item of this.#items.filter(isInList)) {
      item.isTouched ||= item.unread;
      item.isCovered ||= !item.unread && (item.mark !== 'none' || item.filtered);
      item.unread = false;
    }
  }

  switch(isOn: boolean): void {
    this.isOn = isOn;
    if (!isOn) {
      this.#items.filter(isMarked).forEach((item) => unfold(item));
      this.#items.forEach((item) => (item.mark = 'none'));
    }
    this.foldAll(this.#items.map(({ title }) => title));
  }

  showAlways(feedId: number, isShown: boolean): void {
    this.alwaysShown[isShown ? 'add' : 'delete'](feedId);
    if (this.isOn) {
      for (const item of this.#items) {
        if (isMarked(item) && this.alwaysShown.has(item.feedId)) {
          unfold(item);
          item.mark = 'none';
        }
      }
      this.foldAll(this.#items.filter((item) => item.feedId === feedId).map(({ title }) => title));
    }
  }

  leave(feedId: number): void {
    const left = this.#items.filter((item) => item.feedId === feedId);
    const others = this.#items.filter((item) => item.feedId !== feedId);
    for (const keeper of this.isOn ? left : []) {
      const copies = others.filter(({ duplicateOf }) => duplicateOf === keeper.id);
      const untouched = (item: ModelItem) => !item.isTouched;
      const next =
        copies.find((item) => !untouched(item)) ?? copies.find(mayBecomeUnread) ?? copies[0];
      if (next !== undefined) {
        if (keeper.unread && untouched(next) && mayBecomeUnread(next)) {
          next.unread = true;
          next.mark = 'undone';
        } else if (keeper.unread && untouched(next) && next.mark === 'done' && !next.isKept) {
          next.mark = 'undone';
        }
        for (const copy of copies) {
          point(copy, copy === next ? null : next.id);
        }
      }
    }
    this.#items = others;
    this.alwaysShown.delete(feedId);
  }

  foldAll(titles: readonly string[]): void {
    for (const title of this.isOn ? new Set(titles) : []) {
      const items = this.#items.filter(
        (item) => item.title === title && this.known.has(item.articleId),
      );
      if (items.length > 1) {
        this.#fold(items);
      }
    }
  }

  #fold(items: readonly ModelItem[]): void {
    const ids = new Set(items.map(({ id }) => id));
    const isFolded = (item: ModelItem) => !item.unread && item.mark === 'done' && !item.filtered;
    const isShownElsewhere = (item: ModelItem) => isFolded(item) && ids.has(item.duplicateOf ?? 0);
    const has = (item: ModelItem) =>
      item.starred ||
      (!item.unread && item.isCovered && item.mark !== 'done') ||
      (!isShownElsewhere(item) && (item.isTouched || isFolded(item)));
    const keeper = items.find(has) ?? items.find(({ unread }) => unread);
    if (keeper === undefined) {
      return;
    }
    for (const item of items) {
      if (item === keeper) {
        if (item.duplicateOf !== null) {
          point(item, null);
        }
      } else if (
        item.unread &&
        !item.isTouched &&
        !item.starred &&
        item.mark === 'none' &&
        !this.alwaysShown.has(item.feedId)
      ) {
        item.isTouched ||= item.isCovered;
        item.unread = false;
        item.mark = 'done';
        item.isKept = false;
        item.duplicateOf = keeper.id;
      } else if (item.duplicateOf !== null && item.duplicateOf !== keeper.id) {
        point(item, keeper.id);
      }
    }
  }
}

const mayBecomeUnread = (item: ModelItem) =>
  !item.unread && item.mark === 'done' && !item.isTouched && !item.isKept && !item.isCovered;

function point(item: ModelItem, keeperId: number | null): void {
  item.isTouched ||= item.isCovered;
  item.duplicateOf = keeperId;
}

const isMarked = (item: ModelItem) => item.duplicateOf !== null || item.mark === 'done';

function unfold(item: ModelItem): void {
  if (mayBecomeUnread(item)) {
    item.unread = true;
  }
  if (item.duplicateOf !== null) {
    point(item, null);
  }
}
