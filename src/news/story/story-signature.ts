import { canonicalLink, isHomePage } from './canonical-link.js';
import { hashOf, hashOfRun, keyOf } from './hashes.js';
import { storyText } from './story-text.js';
import { storyWords } from './story-words.js';

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
  /** Whether the first one may be a section or a standing page. */
  readonly isVague: boolean;
  /** Of the part of the page; 0 if none is named. */
  readonly fragment: number;
  /** Whether it only links to an article. */
  readonly isLinking: boolean;
  readonly title: Uint32Array;
  readonly text: Uint32Array;
}

const MOST_TITLE_WORDS = 40;
const MOST_TEXT_WORDS = 240;

export function signatureOf(article: StoryArticle): StorySignature {
  const own = article.url === null ? null : canonicalLink(article.url);
  const { text, target } = storyText(article.html, own);
  const links = new Set<bigint>();
  const add = (address: string | null | undefined) => {
    if (address !== null && address !== undefined) {
      links.add(keyOf('link', hashOf(address, 1), hashOf(address)));
    }
  };
  if (own !== null && !isHomePage(own)) {
    add(own.page);
    add(own.slug);
  }
  add(target?.page);
  add(target?.slug);
  return {
    publishedSeconds: article.publishedSeconds,
    host: own === null ? 0 : hashOf(own.host),
    links: [...links],
    isVague: own !== null && !own.isSpecific,
    fragment: own === null || own.fragment === '' ? 0 : hashOf(own.fragment),
    isLinking: target !== null,
    title: storyWords(article.title.slice(0, 400), MOST_TITLE_WORDS),
    text: storyWords(text, MOST_TEXT_WORDS),
  };
}

const RUN = 3;
const TITLE_RUN = 4;
const MOST_TITLE_KEYS = 7;
/** Each part of a text has its own keys, so that an excerpt shares those of its part. */
const PART = 60;
const KEYS_OF_PART = 3;

/** At most 24; of two articles of one story one is the same, but for rare ones. */
export function keysOf(signature: StorySignature): readonly bigint[] {
  const keys = new Set(signature.links);
  for (const [high, low] of smallest(
    signature.title,
    0,
    signature.title.length,
    TITLE_RUN,
    MOST_TITLE_KEYS,
  )) {
    keys.add(keyOf('title', high, low));
  }
  for (let from = 0; from < signature.text.length; from += PART) {
    const to = Math.min(signature.text.length, from + PART + RUN - 1);
    for (const [high, low] of smallest(signature.text, from, to, RUN, KEYS_OF_PART)) {
      keys.add(keyOf('text', high, low));
    }
  }
  return [...keys].slice(0, 24);
}

/** The runs of words with the smallest hashes. */
function smallest(
  codes: Uint32Array,
  from: number,
  to: number,
  run: number,
  most: number,
): readonly [number, number][] {
  const length = Math.min(run, to - from);
  if (length < 2) {
    return [];
  }
  const runs: [number, number][] = [];
  for (let at = from; at + length <= to; at += 1) {
    runs.push([hashOfRun(codes, at, length), hashOfRun(codes, at, length, 1)]);
  }
  return runs.toSorted(([a], [b]) => a - b).slice(0, most);
}

const VERSION = 1;
const HEAD = 32;

export function encodeSignature(signature: StorySignature): Buffer {
  const { links, title, text } = signature;
  const bytes = Buffer.alloc(HEAD + links.length * 8 + (title.length + text.length) * 4);
  bytes.writeUInt8(VERSION, 0);
  bytes.writeUInt8((signature.isVague ? 1 : 0) | (signature.isLinking ? 2 : 0), 1);
  bytes.writeUInt8(links.length, 2);
  bytes.writeUInt16LE(title.length, 3);
  bytes.writeUInt16LE(text.length, 5);
  bytes.writeDoubleLE(signature.publishedSeconds, 8);
  bytes.writeUInt32LE(signature.host, 16);
  bytes.writeUInt32LE(signature.fragment, 20);
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
  const flags = bytes.readUInt8(1);
  const linkCount = bytes.readUInt8(2);
  const titleAt = HEAD + linkCount * 8;
  const textAt = titleAt + bytes.readUInt16LE(3) * 4;
  const codes = (from: number, to: number) =>
    Uint32Array.from({ length: (to - from) / 4 }, (_, n) => bytes.readUInt32LE(from + n * 4));
  return {
    publishedSeconds: bytes.readDoubleLE(8),
    host: bytes.readUInt32LE(16),
    links: Array.from({ length: linkCount }, (_, n) => bytes.readBigInt64LE(HEAD + n * 8)),
    isVague: (flags & 1) !== 0,
    fragment: bytes.readUInt32LE(20),
    isLinking: (flags & 2) !== 0,
    title: codes(titleAt, textAt),
    text: codes(textAt, textAt + bytes.readUInt16LE(5) * 4),
  };
}
