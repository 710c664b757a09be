import { decodeReferences } from '../feed-parser/html/character-references.js';
import { canonicalLink, type CanonicalLink } from './canonical-link.js';
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
  /** Of the part of the page; 0 if none is named. */
  readonly part: number;
  /** Of its page, of its name at the publisher, of the page that it only links to. */
  readonly links: readonly bigint[];
  readonly title: Uint32Array;
  readonly text: Uint32Array;
}

const LONGEST_TITLE = 400;
const MOST_TITLE_WORDS = 80;
const MOST_TEXT_WORDS = 200;

export function signatureOf(article: StoryArticle): StorySignature {
  const own = article.url === null ? null : canonicalLink(article.url);
  const { text, target } = storyText(article.html, own);
  const title = storyWords(titleText(article.title.slice(0, LONGEST_TITLE)), MOST_TITLE_WORDS);
  return {
    publishedSeconds: article.publishedSeconds,
    host: own === null ? 0 : hashOf(own.host),
    part: own === null || own.part === '' ? 0 : hashOf(own.part),
    links: [...new Set([...linkKeys(own, true), ...linkKeys(target, text === '')])],
    title,
    text: withoutTitle(storyWords(text, MOST_TEXT_WORDS), title),
  };
}

/** The last bit says that the address is of one article, and that the text says nothing else. */
export const isSpecificLink = (link: bigint): boolean => (link & 1n) === 1n;
export const addressOf = (link: bigint): bigint => link & ~1n;

function linkKeys(link: CanonicalLink | null, isOnly: boolean): readonly bigint[] {
  const key = (address: string, isSpecific: boolean) =>
    BigInt.asIntN(
      64,
      addressOf(keyOf('link', hashOf(address, 1), hashOf(address))) | BigInt(isSpecific),
    );
  return [
    ...(link === null || link.page === null ? [] : [key(link.page, isOnly && link.isSpecific)]),
    ...(link === null || link.slug === null ? [] : [key(link.slug, false)]),
  ];
}

/** Agencies number their revisions: `UPDATE 2-Title`. The last word before an ellipsis may be cut. */
const titleText = (title: string): string =>
  decodeReferences(title)
    .replace(/^[A-Z]{4,12} ?\d-/, '')
    .replace(/[^ ]{0,30}(?:…|\.\.\.)$/, '');

/** Without a title that is repeated, of which feeds make a text with their publisher's name. */
function withoutTitle(text: Uint32Array, title: Uint32Array): Uint32Array {
  const until = title.findIndex((code, n) => wordOf(code) !== wordOf(text[n] ?? 0));
  const shared = until === -1 ? title.length : until;
  const isTitle = shared >= 3 && shared >= title.length * 0.6 && text.length <= shared + 4;
  return isTitle ? text.slice(shared) : text;
}

/** Words that must follow each other in both articles. */
export const TITLE_RUN = 4;
export const TEXT_RUN = 3;

const MOST_TITLE_KEYS = 6;
/** Parts of a text have keys of their own, so that an excerpt shares those of its part. */
const PARTS = [
  { from: 0, to: 40, keys: 6 },
  { from: 40, to: 100, keys: 4 },
  { from: 100, to: MOST_TEXT_WORDS, keys: 4 },
] as const;

/** At most 24; two articles of one story share at least one, but for rare ones. */
export function keysOf({ links, title, text }: StorySignature): readonly bigint[] {
  const runs = PARTS.flatMap(({ from, to, keys }) =>
    smallest('text', text.subarray(from, to + TEXT_RUN - 1), TEXT_RUN, keys),
  );
  return [
    ...new Set([
      ...links.map(addressOf),
      ...smallest('title', title, TITLE_RUN, MOST_TITLE_KEYS),
      ...runs,
    ]),
  ];
}

/** Keys of the runs of words with the smallest hashes. */
function smallest(kind: string, codes: Uint32Array, run: number, most: number): readonly bigint[] {
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
  return found.map(([hash, at]) => keyOf(kind, hash, hashOfRun(codes, at, length, 1)));
}

const HEAD = 24;

/** How long its parts are, then all of it in its order; at most 1,400 bytes. */
export function encodeSignature({ links, title, text, ...rest }: StorySignature): Buffer {
  const head = Buffer.alloc(HEAD);
  head.set([links.length, title.length, text.length]);
  head.writeDoubleLE(rest.publishedSeconds, 8);
  head.writeUInt32LE(rest.host, 16);
  head.writeUInt32LE(rest.part, 20);
  const words = [BigInt64Array.from(links), title, text];
  return Buffer.concat([
    head,
    ...words.map((one) => new Uint8Array(one.buffer, one.byteOffset, one.byteLength)),
  ]);
}

export function decodeSignature(bytes: Buffer): StorySignature {
  const [links = 0, title = 0, text = 0] = bytes;
  const all = Uint8Array.from(bytes).buffer;
  const titleAt = HEAD + links * 8;
  return {
    publishedSeconds: bytes.readDoubleLE(8),
    host: bytes.readUInt32LE(16),
    part: bytes.readUInt32LE(20),
    links: [...new BigInt64Array(all, HEAD, links)],
    title: new Uint32Array(all, titleAt, title),
    text: new Uint32Array(all, titleAt + title * 4, text),
  };
}
