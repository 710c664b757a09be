import { createHash, hash } from 'node:crypto';
import { withoutControls } from '../html/character-references.js';

/** The stored values that identity is computed from. */
export interface IdentifiedItem {
  readonly guid: string;
  readonly title: string | null;
  readonly url: string | null;
  readonly body: string;
  readonly author: string | null;
  readonly enclosureMime: string | null;
  readonly enclosureLink: string | null;
}

interface ItemIdentity {
  /** Identifies the item within its feed. */
  readonly guidHash: string;
  /** Equal for items with the same content, across feeds. */
  readonly fingerprint: string;
  /** Changes with any visible change. */
  readonly contentHash: string;
}

/**
 * Clients store these values, so the algorithm can never change: lower-case hex MD5 of the
 * concatenated stored texts, with missing ones as the empty text.
 */
export function identify(item: IdentifiedItem): ItemIdentity {
  const shown = createHash('md5').update(
    [item.title, item.url, item.body, item.enclosureLink].join(''),
  );
  return {
    guidHash: md5(item.guid),
    fingerprint: shown.copy().digest('hex'),
    contentHash: shown.update([item.enclosureMime, item.author].join('')).digest('hex'),
  };
}

/** Values that distinguish items with the same lookup key; null if missing. */
interface EvidenceParts {
  readonly title: string | null;
  /** Neither the date of the document nor the time of the fetch. */
  readonly ownDateSeconds: number | null;
  /** Sanitised HTML, as stored. */
  readonly body: string;
  readonly url: string | null;
}

/** Hex digits per part of the evidence; all zero for a missing part. */
export const EVIDENCE_DIGITS = 16;

/**
 * Title, own date, body and link, in this order: the first 16 hex digits of the MD5 of each, zeros
 * if missing. `articles/evidence.sql.ts` computes the same from stored columns.
 */
export function evidenceOf({ title, ownDateSeconds, body, url }: EvidenceParts): string {
  const date = ownDateSeconds === null ? null : String(ownDateSeconds);
  return [title, date, body === '' ? null : body, url]
    .map((part) => (part === null ? NO_EVIDENCE : md5(part).slice(0, EVIDENCE_DIGITS)))
    .join('');
}

export const NO_EVIDENCE = '0'.repeat(EVIDENCE_DIGITS);

const PARTS = { title: 0, date: 1, body: 2, link: 3 } as const;
export type EvidencePart = keyof typeof PARTS;

export function partOf(evidence: string | null, part: EvidencePart): string {
  const from = PARTS[part] * EVIDENCE_DIGITS;
  return evidence?.slice(from, from + EVIDENCE_DIGITS) ?? NO_EVIDENCE;
}

/** Lower-case hex MD5 of the concatenated texts; null counts as the empty text. */
export function md5(...texts: readonly (string | null)[]): string {
  return hash('md5', texts.join(''));
}

const LONGEST_GUID = 10_000;

/** Rules for the identity of an item: decided per item, or set for its feed. */
export const ITEM_RULES = ['automatic', 'guid', 'link', 'title', 'text'] as const;
export type ItemRule = (typeof ITEM_RULES)[number];

/** Lookup key of an item among the articles of its source. */
export interface LookupKey {
  readonly kind: 'guid' | 'link' | 'keyless' | 'set';
  /**
   * The identity by the feed's rule; else the guid as written, else the link, else the link of the
   * enclosure; empty for `keyless`.
   */
  readonly text: string;
}

/** The key that decides if none is set, and gives the item its guid. */
type NamedKey = LookupKey & { readonly kind: 'guid' | 'link' | 'keyless' };

/** The written values that identify an item. */
export interface WrittenItem {
  readonly guid: string | null;
  readonly url: string | null;
  readonly title: string | null;
  readonly author: string | null;
  readonly pubDateSeconds: number | null;
  readonly html: string;
  readonly enclosure: { readonly link: string } | null;
  readonly mediaThumbnail: string | null;
}

export function keyOf({ guid, url, enclosure }: WrittenItem): NamedKey {
  const written = withoutControls(guid ?? '').trim();
  if (written !== '') {
    return { kind: 'guid', text: shortened(written) };
  }
  const link = url ?? enclosure?.link ?? null;
  return link === null ? { kind: 'keyless', text: '' } : { kind: 'link', text: shortened(link) };
}

/** The key that is set for the feed; null where the item has no such part. */
export function setKeyOf(item: WrittenItem, rule: ItemRule): LookupKey | null {
  const named = keyOf(item);
  const parts = { guid: named.text, link: item.url, title: item.title, text: item.html };
  const part = rule === 'automatic' ? null : parts[rule];
  return part ? { kind: 'set', text: `${rule} ${rule === 'text' ? md5(part) : part}` } : null;
}

/**
 * Guids for an item without a key, or whose key is the guid of another article: MD5 of the key and
 * the written values. Written rather than stored values, so that new sanitising rules do not change
 * them. The algorithm can never change, since articles are stored under these guids.
 */
export function derivedGuidsOf(item: WrittenItem, key: NamedKey): readonly [string, ...string[]] {
  const { title, html, enclosure, author, url, pubDateSeconds } = item;
  const date = String(pubDateSeconds ?? '');
  const ofContent = () => {
    const told = [title, html, enclosure?.link ?? '', date];
    return told.every((text) => !text) ? md5(author) : md5(...told);
  };
  switch (key.kind) {
    case 'guid':
      return [md5(key.text, url ?? '')];
    case 'link': {
      const ofLink = md5(key.text, title ?? html, date);
      // Older versions had no enclosure keys and used the content.
      return url === null ? [ofLink, ofContent()] : [ofLink];
    }
    case 'keyless':
      return [ofContent()];
  }
}

function shortened(key: string): string {
  return key.length > LONGEST_GUID ? md5(key) : key;
}

/** The address of a page, as far as it stays when a site moves. */
export interface Page {
  /** Host without `www.` and port. */
  readonly host: string;
  /** Path and query. Without `index.html`, a slash at the end, and differences of case. */
  readonly path: string;
  /** The last part of the path without its ending; null at the root. */
  readonly slug: string | null;
}

export function pageOf(address: string | null): Page | null {
  const url = address === null ? null : URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return null;
  }
  const path = url.pathname.toLowerCase().replace(/\/(?:index\.\w{3,5})?$/, '');
  return {
    host: url.hostname.replace(/^www\./, ''),
    path: path + url.search + url.hash,
    slug: path.slice(path.lastIndexOf('/') + 1).replace(/\.\w{2,5}$/, '') || null,
  };
}

/** Fewer words in the last part of a path name a section, like `/now-playing`. */
const WORDS_OF_ENTRY = 3;

/**
 * Whether an address is the page of one entry. False for the address of the site or the feed, and, in a
 * document of one entry, for an address that reads like a section: such documents show a current state.
 *
 * @param others pages of the site and of the feed
 */
export function isOwnPage(
  address: string | null,
  others: readonly (Page | null)[],
  isOnlyEntry: boolean,
): boolean {
  const page = pageOf(address);
  if (page === null || others.some((other) => isSame(other, page))) {
    return false;
  }
  const words = page.slug?.split(/[-_+]|%20/).length ?? 0;
  return !isOnlyEntry || words >= WORDS_OF_ENTRY || /[\d?#]/.test(page.path);
}

function isSame(one: Page | null, other: Page): boolean {
  return one?.host === other.host && one.path === other.path;
}
