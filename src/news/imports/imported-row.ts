/** An article as another program wrote it down. Times are unix seconds. */
export interface ImportedRow {
  /** An http or https address; null only with a guid. */
  readonly url: string | null;
  readonly title: string | null;
  /** HTML, not sanitised. */
  readonly body: string | null;
  readonly author: string | null;
  readonly publishedSeconds: number | null;
  /** When the person saved, starred or received it. */
  readonly savedSeconds: number | null;
  /** Null if the file does not say. */
  readonly isRead: boolean | null;
  readonly isStarred: boolean;
  readonly labels: readonly string[];
  /** A note on the whole article. */
  readonly note: string | null;
  readonly highlights: readonly { readonly text: string; readonly note: string | null }[];
  /** How its feed identifies it. */
  readonly guid: ImportedGuid | null;
  readonly enclosure: { readonly url: string; readonly mime: string | null } | null;
  /** Null: a page that was saved. */
  readonly feed: ImportedFeed | null;
  /** It tells the state of an article that is there; it is never stored anew. */
  readonly isStateOnly?: true;
}

export type ImportedGuid =
  | { readonly kind: 'plain'; readonly guid: string }
  /** Miniflux: hex SHA-256 of guid, of `guid|url`, or of url. */
  | { readonly kind: 'miniflux'; readonly hash: string }
  /** tt-rss: hex SHA-1 of the guid; `userId` if it was hashed as `userId,guid`. */
  | { readonly kind: 'tt-rss'; readonly hash: string; readonly userId: string | null };

export interface ImportedFeed {
  readonly url: string | null;
  readonly siteUrl: string | null;
  readonly title: string | null;
}

/** What of a file is not taken, with its reason: a sentence. */
export interface LeftOut {
  readonly place: string;
  readonly reason: string;
}

/** Feeds that a file names beside its articles (OPML inside a zip, `rssSubscriptions`). */
export interface NamedFeed {
  readonly url: string;
  readonly title: string | null;
  readonly folder: string | null;
}
