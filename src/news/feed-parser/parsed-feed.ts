/** One document of a publisher, read and made safe. Times are unix seconds. */
export interface ParsedFeed {
  /** Plain text without markup; empty when the publisher gave none. */
  readonly title: string;
  /** The website the feed belongs to: an absolute http or https address. */
  readonly link: string | null;
  /** What the publisher offers as a picture of the feed: an absolute http or https address. */
  readonly iconUrl: string | null;
  /** In the order of the document, without repetitions of the same entry. */
  readonly items: readonly ParsedItem[];
  readonly publishing: PublishingHints;
  /** What was damaged or left out, when the document could be read only in part. */
  readonly warning: string | null;
  /** The document ends before it is complete. Nothing of what it ends inside of is here. */
  readonly cut: boolean;
}

/** One entry of a document, and how the store finds the article that it is. */
export interface ParsedItem extends ArticleContent {
  /** What a new article is called, unless another article of the source is called so already. */
  readonly guid: string;
  readonly lookup: Lookup;
}

/**
 * How the store finds the article that an item is, among those it has of the same source.
 *
 * @see docs/decisions/0023-identity-of-articles.md
 */
export interface Lookup {
  /** Where the key is from; a keyless item has neither guid nor link nor enclosure. */
  readonly kind: 'guid' | 'link' | 'keyless';
  /** Lower-case hex MD5 of the key; all keyless items share that of the empty text. */
  readonly keyHash: string;
  /**
   * Guids made of key and content, in hex. An article may be stored under one of them; the first is
   * for a new article whose key is the guid of another one.
   */
  readonly derivedGuids: readonly string[];
  /** Lower-case hex MD5 of each of them. */
  readonly derivedGuidHashes: readonly string[];
  /** What tells items of one key apart. @see evidenceOf */
  readonly evidence: string;
}

/**
 * What is stored of an entry. Every text is safe to show as what it is: `body` and
 * `mediaDescription` as HTML, everything else as text.
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
  /** Null when the document says nothing readable; the store then uses the time of the fetch. */
  readonly pubDateSeconds: number | null;
  readonly updatedDateSeconds: number | null;
  /** Sanitised HTML with absolute addresses; empty when there is none. */
  readonly body: string;
  readonly enclosureMime: string | null;
  readonly enclosureLink: string | null;
  readonly mediaThumbnail: string | null;
  /** Sanitised HTML with absolute addresses; line ends of the publisher are `<br />`. */
  readonly mediaDescription: string | null;
  readonly rtl: boolean;
}

/** What the publisher says about when it publishes. */
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

/** A document as it came over the wire, transfer encodings already removed. */
export interface FeedDocument {
  readonly bytes: Uint8Array;
  readonly contentType: string | null;
  /** Where it stands, after redirects; relative addresses in it are resolved against this. */
  readonly url: string;
  /** Of this service, when it is known: nothing in the document may be loaded from there. */
  readonly ownOrigin?: string | null;
}
