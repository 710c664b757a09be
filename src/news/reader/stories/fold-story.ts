/** A reader's item of a story. */
export interface StoryItem {
  readonly itemId: number;
  readonly unread: boolean;
  /** Whether only rules, stories and its publisher have changed it. */
  readonly isUntouched: boolean;
  /** Whether the user starred, labelled or highlighted it, or marked a list read that had it; rules do not count. */
  readonly isKept: boolean;
  /** Whether its feed is always shown. */
  readonly isAlwaysShown: boolean;
  /** Whether it was marked read for its story before; it may be unread again. */
  readonly wasFolded: boolean;
  /** Whether it is read for its story alone. */
  readonly isFolded: boolean;
  /** The item that it points to; null for none. */
  readonly keeperId: number | null;
}

export interface Folding<Item extends StoryItem> {
  /** Items that become read. */
  readonly folded: readonly Item[];
  /** Items that point to another one from now on; null: to none. */
  readonly pointers: readonly { readonly item: Item; readonly keeperId: number | null }[];
}

/**
 * Decides which of the items of a story that a reader has shows it: the first that the user starred, labelled,
 * read or changed, or whose keeper is gone after it was read; else the first that is unread. What a rule or a
 * filter marked read does not count, nor what is read for its story while its keeper is there: its stamp may have
 * moved though nobody saw it. The others become read, once, unless the user touched them.
 */
export function foldStory<Item extends StoryItem>(items: readonly Item[]): Folding<Item> {
  const inOrder = items.toSorted((a, b) => a.itemId - b.itemId);
  const ids = new Set(items.map(({ itemId }) => itemId));
  const isShownElsewhere = ({ isFolded, keeperId }: Item) =>
    isFolded && keeperId !== null && ids.has(keeperId);
  const keeper =
    inOrder.find(
      (item) => item.isKept || (!isShownElsewhere(item) && (!item.isUntouched || item.isFolded)),
    ) ?? inOrder.find(({ unread }) => unread);
  if (keeper === undefined) {
    return { folded: [], pointers: [] };
  }
  const others = inOrder.filter((item) => item !== keeper);
  const folded = others.filter(
    ({ unread, isUntouched, isKept, isAlwaysShown, wasFolded }) =>
      unread && isUntouched && !isKept && !isAlwaysShown && !wasFolded,
  );
  const pointing = others.filter(
    (item) => folded.includes(item) || (item.keeperId !== null && item.keeperId !== keeper.itemId),
  );
  return {
    folded,
    pointers: [
      ...pointing.map((item) => ({ item, keeperId: keeper.itemId })),
      ...(keeper.keeperId === null ? [] : [{ item: keeper, keeperId: null }]),
    ],
  };
}
