import { createHash } from 'node:crypto';
import type { ItemRule } from '../feed-parser/items/item-identity.js';
import { InvalidFeedAddress } from './sources.errors.js';

/** A feed's address, normalised once where it enters the program. */
export interface FeedAddress {
  /** The given address without surrounding white space. Shown to the user who gave it. */
  readonly given: string;
  /** The normalised address, credentials included. */
  readonly href: string;
  /** Identifies the source: SHA-256 of `href`, or of all with `access` and `itemRule`. */
  readonly key: Buffer;
  /** Host name without port: the unit of rate limiting. */
  readonly host: string;
  /** Headers that are sent with requests, sealed by `FeedAccessBox`; null is none. */
  readonly access: Buffer | null;
  /** When the client certificate in `access` ends. */
  readonly certificateEnds: Date | null;
  readonly itemRule: ItemRule;
  /** Fallback for an unreachable address that was given without a scheme. */
  readonly otherwise?: string;
}

/** Longer addresses are refused; browsers and servers do not accept them either. */
const MAX_ADDRESS_LENGTH = 8192;

/** An address without a scheme: a host with a dot, or `localhost`, or one with a port and a path. */
const BARE =
  /^(?:(?:localhost|[^\s/:?#@[\]\\]+\.[^\s/:?#@[\]\\]+)(?::\d{1,5})?(?:[/?#]|$)|[\w-]+:\d{1,5}\/)/i;

/** Of programs that read feeds, and of browsers for the source of a page. */
const OTHER_SCHEMES =
  /^(?:feed:(?:\/\/)?\s*|(?:feeds|itpc|pcast|podcast|rss):\/\/|(?:feeds|rss|view-source):(?=https?:))/i;

/**
 * Normalises an address, so that two spellings of it mean the same feed: host in lower case and in punycode
 * without a trailing dot, no default port, no fragment. Path, query, user name and password stay, since
 * servers distinguish them. A prefix like `feed:` is dropped, and https is the default scheme.
 *
 * @throws InvalidFeedAddress for anything but an http or https address
 */
export function feedAddress(text: string): FeedAddress {
  const given = text.trim().replace(OTHER_SCHEMES, '');
  if (given === '') {
    throw new InvalidFeedAddress('The address of the feed is empty.');
  }
  if (BARE.test(given)) {
    return { ...feedAddress(`https://${given}`), otherwise: `http://${given}` };
  }
  if (!/^https?:\/\//i.test(given)) {
    throw new InvalidFeedAddress(
      'This is no address: enter that of a feed or of a website, such as example.org, with or without https://.',
    );
  }
  const url = given.length > MAX_ADDRESS_LENGTH ? null : URL.parse(given);
  const host = url?.hostname.replace(/\.+$/, '');
  if (!url || !host) {
    throw new InvalidFeedAddress('The address of the feed cannot be read; check its spelling.');
  }
  url.hostname = host;
  url.hash = '';
  const key = createHash('sha256').update(url.href).digest();
  const own = { access: null, certificateEnds: null, itemRule: 'automatic' } as const;
  return { given, href: url.href, key, host: url.hostname, ...own };
}

/** Characters without a shape, which come along when text is copied. Joiners are parts of words. */
const SHAPELESS = /(?![\u200c\u200d])\p{Cf}/gu;
const OPENING = /^[\s<([{"'`“”„«»‘‹「『《（*]+/u;
const CLOSING = ` >"'\`“”»«’›」』》）*.,;:!…|\\。，、；：！)]}`;
const OPENING_OF: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** The address of a link in HTML, of one in Markdown, and one among words, in brackets or in quotes. */
const IN_TEXT = [
  /^<(?:a|link)\s(?:[^<>]*\s)?href\s*=\s*["']?([^"'\s<>]+)/i,
  /\]\(<?((?:feed:(?:\/\/)?)?https?:\/\/[^\s<>]+)/i,
  /(?:^|[\s<([{"'`“”„«»‘‹「『《（*])((?:feed:(?:\/\/)?)?https?:\/\/[^\s<>"“”„«»`」』》）]+)/i,
];

/**
 * `feedAddress` for text that a person typed or pasted: without what is around the address, such as invisible
 * characters, quotes, brackets, a link in HTML or Markdown, and the end of a sentence.
 *
 * @throws InvalidFeedAddress
 */
export function typedAddress(text: string): FeedAddress {
  const seen = text
    .slice(0, MAX_ADDRESS_LENGTH + 100)
    .replace(SHAPELESS, '')
    .trim();
  // Other markup is a document, whose addresses are not meant.
  const patterns = /^https?:/i.test(seen)
    ? []
    : /^<\S*\s/.test(seen)
      ? IN_TEXT.slice(0, 1)
      : IN_TEXT;
  const found = patterns.map((pattern) => pattern.exec(seen)?.[1]).find(Boolean);
  const address = found ?? seen.replace(OPENING, '');
  let end = address.length;
  for (let last = address.at(-1); last && CLOSING.includes(last); last = address[end - 1]) {
    const opening = OPENING_OF[last];
    const inside = address.slice(0, end - 1);
    // A bracket that the address opens itself is a part of it.
    if (opening && inside.lastIndexOf(opening) > inside.lastIndexOf(last)) {
      break;
    }
    end -= 1;
  }
  return feedAddress(
    address
      .slice(0, end)
      .replace(/&amp;/gi, '&')
      // Behind the beginning that a field already had, or with slips in it.
      .replace(/^(?:https?:\/\/)+(?=(?:feed:|https?:)\/\/)/i, '')
      .replace(/^(https?)(?:\s*[:：]\s*[/／\\]+|\/\/)\s*/i, '$1://'),
  );
}

/** The rule makes it another source, since followers of a source share its items. */
export function withItemRule(address: FeedAddress, itemRule: ItemRule): FeedAddress {
  const key = createHash('sha256').update(address.key).update(itemRule).digest();
  return itemRule === 'automatic' ? address : { ...address, itemRule, key };
}

/** With headers it is a source of this owner alone, whose headers can change. The same for an address without. */
export function withOwner(address: FeedAddress, owner: string | null): FeedAddress {
  if (owner === null || address.access === null) {
    return address;
  }
  const text = `owned\0${owner}\0${address.itemRule}\0${address.href}`;
  return { ...address, key: createHash('sha256').update(text).digest() };
}
