import { canonicalLink, isHomePage, type CanonicalLink } from './canonical-link.js';
import { hashOf, hashOfRun, keyOf } from './hashes.js';
import { storyText } from './story-text.js';
import { storyWords, wordOf } from './story-words.js';

export interface StoryArticle {
  readonly title: string;
  readonly url: string | null;
  /** As stored: cleaned HTML. */
  readonly html: string;
  readonly publishedSeconds: number;
}

/** What is compared of an article: hashes of its addresses and its words. */
export interface StorySignature {
  readonly publishedSeconds: number;
  /** Of its publisher's host; 0 without an address. */
  readonly host: number;
  /** Addresses that say which article it is: its page, its name at the publisher, what it only links to. */
  readonly links: readonly bigint[];
  /** Of the part of the page; 0 if none is named. */
  readonly part: number;
  readonly title: Uint32Array;
  readonly text: Uint32Array;
}

const MOST_TITLE = 400;
const MOST_TITLE_WORDS = 80;
const MOST_TEXT_WORDS = 240;

export function signatureOf(article: StoryArticle): StorySignature {
  const own = article.url === null ? null : canonicalLink(article.url);
  const { text, target } = storyText(article.html, own);
  const title = storyWords(titleText(article.title.slice(0, MOST_TITLE)), MOST_TITLE_WORDS);
  const links = new Set([own, target].flatMap((link) => (link === null ? [] : linkKeys(link))));
  return {
    publishedSeconds: article.publishedSeconds,
    host: own === null ? 0 : hashOf(own.host),
    links: [...links],
    part: own === null || own.part === '' ? 0 : hashOf(own.part),
    title,
    text: withoutTitle(storyWords(text, MOST_TEXT_WORDS), title),
  };
}

/** The last bit of a link's key says whether it names one article, and no section or standing page. */
export const isSpecificLink = (link: bigint): boolean => (link & 1n) === 1n;

function linkKeys(link: CanonicalLink): readonly bigint[] {
  const addresses = isHomePage(link) ? [] : [link.page, ...(link.slug === null ? [] : [link.slug])];
  return addresses.map((address) => {
    const key = keyOf('link', hashOf(address, 1), hashOf(address));
    return BigInt.asIntN(64, link.isSpecific ? key | 1n : key & ~1n);
  });
}

/** Agencies number the revisions of a report: `UPDATE 2-Title`. The last word before an ellipsis may be cut. */
const titleText = (title: string): string =>
  title.replace(/^[A-Z]{4,12} ?\d-/, '').replace(/[^ ]{0,30}(?:…|\.\.\.)$/, '');

/** Many texts begin with their title, to which feeds add their publisher's name. */
function withoutTitle(text: Uint32Array, title: Uint32Array): Uint32Array {
  const until = title.findIndex((code, n) => wordOf(code) !== wordOf(text[n] ?? 0));
  const shared = until === -1 ? title.length : until;
  return shared >= 3 && shared >= title.length * 0.6 ? text.slice(shared) : text;
}

const RUN = 3;
const TITLE_RUN = 4;
const MOST_TITLE_KEYS = 6;
/** Parts of a text have keys of their own, so that an excerpt shares those of its part. */
const PARTS = [0, 40, 100, MOST_TEXT_WORDS];
const KEYS_OF_PART = [6, 4, 4];

/** At most 24; two articles of one story share at least one, but for rare ones. */
export function keysOf({ links, title, text }: StorySignature): readonly bigint[] {
  const keys = new Set(links);
  const add = (kind: string, codes: Uint32Array, run: number, most: number) => {
    for (const [high, low] of smallest(codes, run, most)) {
      keys.add(keyOf(kind, high, low));
    }
  };
  add('title', title, TITLE_RUN, MOST_TITLE_KEYS);
  for (const [n, most] of KEYS_OF_PART.entries()) {
    add('text', text.subarray(PARTS[n], (PARTS[n + 1] ?? 0) + RUN - 1), RUN, most);
  }
  return [...keys].slice(0, MOST_KEYS);
}

const MOST_KEYS = 24;

/** The runs of words with the smallest hashes. */
function smallest(codes: Uint32Array, run: number, most: number): readonly [number, number][] {
  const length = Math.max(2, Math.min(run, codes.length));
  const found: [number, number][] = [];
  for (let at = 0; at + length <= codes.length; at += 1) {
    const hash = hashOfRun(codes, at, length);
    if (found.length < most || hash < (found.at(-1)?.[0] ?? 0)) {
      const place = found.findIndex(([other]) => hash <= other);
      if (found[place]?.[0] !== hash) {
        found.splice(place === -1 ? found.length : place, 0, [hash, at]);
        found.length = Math.min(found.length, most);
      }
    }
  }
  return found.map(([hash, at]) => [hash, hashOfRun(codes, at, length, 1)]);
}

const VERSION = 1;
const HEAD = 32;

export function encodeSignature(signature: StorySignature): Buffer {
  const { links, title, text } = signature;
  const bytes = Buffer.alloc(HEAD + links.length * 8 + (title.length + text.length) * 4);
  bytes.writeUInt8(VERSION, 0);
  bytes.writeUInt8(links.length, 2);
  bytes.writeUInt16LE(title.length, 3);
  bytes.writeUInt16LE(text.length, 5);
  bytes.writeDoubleLE(signature.publishedSeconds, 8);
  bytes.writeUInt32LE(signature.host, 16);
  bytes.writeUInt32LE(signature.part, 20);
  let at = HEAD;
  for (const link of links) {
    at = bytes.writeBigInt64LE(link, at);
  }
  for (const code of [...title, ...text]) {
    at = bytes.writeUInt32LE(code, at);
  }
  return bytes;
}

export function decodeSignature(bytes: Buffer): StorySignature {
  const linkCount = bytes.readUInt8(2);
  const titleAt = HEAD + linkCount * 8;
  const textAt = titleAt + bytes.readUInt16LE(3) * 4;
  const codes = (from: number, to: number) =>
    Uint32Array.from({ length: (to - from) / 4 }, (_, n) => bytes.readUInt32LE(from + n * 4));
  return {
    publishedSeconds: bytes.readDoubleLE(8),
    host: bytes.readUInt32LE(16),
    links: Array.from({ length: linkCount }, (_, n) => bytes.readBigInt64LE(HEAD + n * 8)),
    part: bytes.readUInt32LE(20),
    title: codes(titleAt, textAt),
    text: codes(textAt, textAt + bytes.readUInt16LE(5) * 4),
  };
}
