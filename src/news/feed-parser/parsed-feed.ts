import { invalid } from '../../common/errors/domain-error.js';
import type { ItemRule } from './items/item-identity.js';
import type { ParsedItem } from './items/parsed-item.js';

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
  /** Damaged or omitted parts of the document; null if it was read completely. */
  readonly warning: string | null;
  /** The document is truncated; its last, incomplete item is omitted. */
  readonly cut: boolean;
  /** Processor time that a reader took, in milliseconds. */
  readonly readMs?: number;
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
  /** Rule for the identity of this feed's items; default automatic. */
  readonly rule?: ItemRule;
}

/** A document that cannot be read. The message says why. */
export class UnreadableDocument extends invalid() {}
