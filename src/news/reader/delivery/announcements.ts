import type { SourceNotice } from '../../sources/source-notice.js';

/** Channel for recorded events; functions of the database use the same name. */
export const NEWS_EVENTS_CHANNEL = 'gatefold_news_event';

/** One user's items or feeds changed. */
export interface ReaderNotice {
  readonly readerId: number;
  /** `RequestingClient.name` of the client that made the change; null when unknown. */
  readonly client: string | null;
  /** The delivered items; null when there are none. */
  readonly items: {
    /** Null when there are too many for a notice. */
    readonly feedIds: readonly number[] | null;
    readonly newestItemId: number;
  } | null;
  /** Whether flags, contents, feeds or folders changed as well. */
  readonly changed: boolean;
}

export type NewsNotice = ReaderNotice | SourceNotice;

/** The kind of change made under a user's lock, for `announceChange`. */
export type ChangeOf =
  /** A change requested by the user; always announced. */
  | 'anything'
  /** A delivery; announced if it brought or changed any item. */
  | 'deliveries'
  /** Clean-up; not announced. */
  | 'upkeep';
