import type { ArticleExtras } from './items/extras.js';
import type { ItemRule, LookupKey } from './items/lookup-key.js';

/** A parsed and sanitised feed document. Times are unix seconds. */
export interface ParsedFeed {
  /** Plain text; empty if missing. */
  readonly title: string;
  /** Website of the feed: an absolute http or https address. */
  readonly link: string | null;
  /** Picture of the feed: an absolute http or https address. */
  readonly iconUrl: string | null;
  /** In document order, without duplicates. */
  readonly items: readonly ParsedItem[];
  readonly publishing: PublishingHints;
  /** What was damaged or left out; null if the document was read completely. */
  readonly warning: string | null;
  /** The document is truncated; its last, incomplete item is left out. */
  readonly cut: boolean;
}

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
  /** Lower-case hex MD5 of the key; all keyless items share that of the empty text. */
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

/** Update hints of the publisher. */
export interface PublishingHints {
  /** RSS `ttl`. */
  readonly ttlSeconds: number | null;
  /** `sy:updatePeriod` divided by `sy:updateFrequency`. */
  readonly updatePeriodSeconds: number | null;
  /** Hours of the day in UTC, 0 to 23. */
  readonly skipHours: readonly number[];
  /** Days of the week, 0 is Sunday. */
  readonly skipDays: readonly number[];
  /** WebSub hub and the topic address to subscribe to there. */
  readonly hubUrl: string | null;
  readonly selfUrl: string | null;
}

export const NO_HINTS: PublishingHints = {
  ttlSeconds: null,
  updatePeriodSeconds: null,
  skipHours: [],
  skipDays: [],
  hubUrl: null,
  selfUrl: null,
};

/** A downloaded document, after transfer and content decoding. */
export interface FeedDocument {
  readonly bytes: Uint8Array;
  readonly contentType: string | null;
  /** Final address after redirects; base of relative addresses. */
  readonly url: string;
  /** Origin of this service, if known; media from there are removed. */
  readonly ownOrigin?: string | null;
  /** What makes an item of this feed itself; default automatic. */
  readonly rule?: ItemRule;
}
