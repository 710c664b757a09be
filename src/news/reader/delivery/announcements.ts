/** The PostgreSQL channel of `NewsNotice`s. A notice arrives once its transaction is committed. */
export const NEWS_CHANNEL = 'gatefold_news';

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

/** A source has articles that were not delivered to its followers yet. */
interface SourceNotice {
  readonly sourceId: number;
}

export type NewsNotice = ReaderNotice | SourceNotice;

/** The kind of change made under a user's lock, for `announceChange`. */
export type ChangeOf =
  /** A change the user asked for; always announced. */
  | 'anything'
  /** A delivery; announced if it brought or changed any item. */
  | 'deliveries'
  /** Clean-up; not announced. */
  | 'upkeep';
