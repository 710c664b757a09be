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
 * The stored content of an entry. `body` and `mediaDescription` are sanitised HTML, all other texts
 * are plain.
 */
export interface ArticleContent {
  readonly guid: string;
  /** Lower-case hex MD5, computed on the stored values. @see docs/news-api.md */
  readonly guidHash: string;
  readonly fingerprint: string;
  readonly contentHash: string;
  readonly url: string | null;
  readonly title: string | null;
  readonly author: string | null;
  /** Null if missing or unreadable; the store then uses the time of the fetch. */
  readonly pubDateSeconds: number | null;
  readonly updatedDateSeconds: number | null;
  /** Sanitised HTML with absolute addresses; empty when there is none. */
  readonly body: string;
  readonly enclosureMime: string | null;
  readonly enclosureLink: string | null;
  readonly mediaThumbnail: string | null;
  /** Sanitised HTML with absolute addresses; line ends become `<br />`. */
  readonly mediaDescription: string | null;
  readonly rtl: boolean;
  /** Not part of the identity; null if there is nothing. */
  readonly extras: ArticleExtras | null;
}
