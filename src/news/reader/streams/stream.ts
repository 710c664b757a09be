/** A set of a user's items. */
export type ItemSet =
  | { readonly of: 'all' | 'read' | 'unread' | 'starred' }
  /** Items of any of the feeds, and those with the label. Without both: nothing. */
  | { readonly of: 'tag'; readonly feedIds: readonly number[]; readonly labelId: number | null };

export interface StreamSelection {
  /** In all of these sets. */
  readonly within: readonly ItemSet[];
  /** In none of these. */
  readonly without: readonly ItemSet[];
  /** Arrival, unix microseconds, inclusive; null is no bound. */
  readonly fromMicros: number | null;
  readonly toMicros: number | null;
}

/** Items in the order of their ids, which is that of their arrival. */
export interface StreamPage {
  readonly oldestFirst: boolean;
  /** Exclusive item id; null starts from the beginning, and delivers first. */
  readonly after: number | null;
  readonly limit: number;
}

interface StreamEnclosure {
  readonly url: string;
  readonly mime: string;
  /** Bytes. */
  readonly length?: number;
}

/** An item with everything that an API shows of it. */
export interface StreamItem {
  readonly id: number;
  readonly feedId: number;
  readonly unread: boolean;
  readonly starred: boolean;
  /** Unix microseconds. */
  readonly arrivedMicros: number;
  readonly lastModifiedMicros: number;
  readonly labels: readonly string[];
  readonly title: string | null;
  readonly url: string | null;
  readonly author: string | null;
  readonly pubDateSeconds: number;
  readonly updatedDateSeconds: number | null;
  readonly body: string;
  readonly guid: string;
  readonly enclosures: readonly StreamEnclosure[];
  /** The publisher's. */
  readonly tags: readonly string[];
  readonly rtl: boolean;
}
