import type { ArticleExtras } from './extras.js';
import type { LookupKey } from './item-identity.js';

/** One entry of a document, with its lookup key. */
export interface ParsedItem extends ArticleContent {
  /** Guid of a new article, unless another article of the source has it. */
  readonly guid: string;
  readonly lookup: Lookup;
}

/**
 * Lookup key of an item among the articles of its source.
 *
 * @see docs/decisions/0023-identity-of-articles.md
 */
export interface Lookup {
  /** Origin of the key; a keyless item has neither guid nor link nor enclosure. */
  readonly kind: LookupKey['kind'];
  /** Whether its link is the page of this entry alone, as far as the document shows. */
  readonly hasOwnPage: boolean;
  /** Lower-case hex MD5 of the key; all keyless items share the empty text's. */
  readonly keyHash: string;
  /**
   * Hex MD5 guids of key and content. An article may be stored under one of them; the first is for a
   * new article whose key is the guid of another one.
   */
  readonly derivedGuids: readonly string[];
  /** Lower-case hex MD5 of each of them. */
  readonly derivedGuidHashes: readonly string[];
  /** Distinguishes items with the same key. @see evidenceOf */
  readonly evidence: string;
}

/**
 * The columns of an article with what its publisher says, by type, in the order of their JSON. Each is stored
 * with fetches and imports, and listed. The hashes of `identify` decide whether an article has changed, so a
 * change of a column that they do not cover is stored with the next one that they do.
 */
export const CONTENT_TYPES = {
  url: 'text',
  title: 'text',
  author: 'text',
  /** Null if missing or unreadable; the store then uses the time of the fetch. */
  pubDateSeconds: 'bigint',
  updatedDateSeconds: 'bigint',
  enclosureMime: 'text',
  enclosureLink: 'text',
  mediaThumbnail: 'text',
  /** Sanitised HTML with absolute addresses; line ends become `<br />`. */
  mediaDescription: 'text',
  rtl: 'boolean',
} as const;

export type ContentColumn = keyof typeof CONTENT_TYPES;

export const CONTENT_COLUMNS = Object.keys(CONTENT_TYPES) as readonly ContentColumn[];

interface ValueOf {
  readonly text: string | null;
  readonly bigint: number | null;
  readonly boolean: boolean;
}

/** Texts are plain unless they are said to be HTML. */
export type ColumnValues = {
  readonly [Name in ContentColumn]: ValueOf[(typeof CONTENT_TYPES)[Name]];
};

/** The stored content of an entry. */
export interface ArticleContent extends ColumnValues {
  readonly guid: string;
  /** Lower-case hex MD5, computed on the stored values. @see docs/news-api.md */
  readonly guidHash: string;
  readonly fingerprint: string;
  readonly contentHash: string;
  /** Sanitised HTML with absolute addresses; empty when there is none. */
  readonly body: string;
  /** Not part of the identity; null if there is nothing. */
  readonly extras: ArticleExtras | null;
}
