/**
 * A query of the language for searching and for rules, as a tree. Places (`feed:`, `folder:`, `label:`,
 * `search:`) are stored by id, so that renaming changes nothing.
 *
 * @see docs/news-api.md "The language of searches and rules"
 */
export type Query =
  /** Matches everything: the empty query. */
  | { readonly kind: 'everything' }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Query[] }
  | { readonly kind: 'not'; readonly of: Query }
  | TextQuery
  | { readonly kind: 'site'; readonly host: string }
  | PlaceQuery
  | { readonly kind: 'is'; readonly state: ItemState }
  | { readonly kind: 'has'; readonly what: ItemPart }
  | DateQuery
  | AgeQuery
  | NumberQuery
  | { readonly kind: 'ask'; readonly question: string };

/** Words, a phrase or a pattern in a part of the article; `words` is title, text, author and categories. */
export interface TextQuery {
  readonly kind: 'text';
  readonly in: 'words' | 'title' | 'text' | 'author' | 'category' | 'address';
  readonly find: TextFind;
}

export type TextFind =
  /** As typed. `isPrefix`: the beginning of a word; `isWhole`: the whole name of a category. */
  | {
      readonly kind: 'phrase';
      readonly text: string;
      readonly isPrefix: boolean;
      readonly isWhole: boolean;
    }
  /** RE2 syntax; `flags` are some of `ims`. */
  | { readonly kind: 'pattern'; readonly source: string; readonly flags: string }
  /** Any value: `category:*`. */
  | { readonly kind: 'any' };

/**
 * A feed, folder, label or saved search of the user. `id` is null while only the name is known, and for any
 * label.
 */
export interface PlaceQuery {
  readonly kind: 'place';
  readonly of: 'feed' | 'folder' | 'label' | 'search';
  readonly id: number | null;
  /** The name as typed, or as it was last known; `*` with `id` null for any label. */
  readonly name: string;
  /** Only as parsed, until `bindPlaces`: where it is written. */
  readonly typed?: {
    readonly at: number;
    /** `in:`, which names a folder or a feed. */ readonly orFeed: boolean;
  };
}

export type ItemState =
  | 'unread'
  | 'read'
  | 'starred'
  | 'filtered'
  | 'duplicate'
  | 'labelled'
  | 'highlighted';

export type ItemPart = 'audio' | 'video' | 'picture' | 'media' | 'comments' | 'author' | 'label';

/** From the first moment of `from` on, and before the first moment after `to`; null is open. */
export interface DateQuery {
  readonly kind: 'date';
  readonly of: 'published' | 'arrived';
  readonly from: Day | null;
  /** Inclusive. */
  readonly to: Day | null;
  /** Exclusive: before its first moment. Instead of `to`. */
  readonly before?: Day;
}

/**
 * A day, month or year in the user's time zone: `2026-03-10`, `2026-03`, `2026`, `today`, `yesterday`, `now`;
 * or as far back from now as `P3D`, `P2W`, `P6M`, `P1Y`, `PT12H`.
 */
export type Day = string;

/** Age of the published date: `older_than:` and `newer_than:`. Months are calendar months. */
export interface AgeQuery {
  readonly kind: 'age';
  readonly than: 'older' | 'newer';
  readonly count: number;
  readonly unit: 'h' | 'd' | 'w' | 'm' | 'y';
}

/** Words of the text, or seconds of the recording; an article without the figure does not match. Bounds are inclusive. */
export interface NumberQuery {
  readonly kind: 'number';
  readonly of: 'words' | 'duration';
  readonly least: number | null;
  readonly most: number | null;
}

/** An article as one user sees it. What costs more than a field is a function, called only if a query needs it. */
export interface QueriedArticle {
  readonly title: string | null;
  readonly url: string | null;
  readonly author: string | null;
  readonly categories: readonly string[];
  /** Plain text of the body, in the form that this user sees. */
  readonly text: () => string;
  readonly feedId: number;
  readonly folderId: number | null;
  readonly labelIds: readonly number[];
  readonly states: Readonly<Record<ItemState, boolean>>;
  readonly parts: Readonly<Record<ItemPart, boolean>>;
  readonly publishedSeconds: number;
  readonly arrivedSeconds: number;
  readonly durationSeconds: number | null;
  /** The answer of an app; null while there is none, which never matches. */
  readonly answerTo: (question: string) => boolean | null;
}

/** Names and ids of a user's places, to bind, print and describe queries. */
export interface UserPlaces {
  readonly feed: readonly Place[];
  readonly folder: readonly Place[];
  readonly label: readonly Place[];
  readonly search: readonly (Place & { readonly query: Query })[];
}

export interface Place {
  readonly id: number;
  readonly name: string;
}
