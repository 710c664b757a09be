import { withoutControls } from '../html/character-references.js';
import { md5 } from './item-identity.js';

const LONGEST_GUID = 10_000;

/** What makes an item itself: decided for each, or set for its feed. */
export const ITEM_RULES = ['automatic', 'guid', 'link', 'title', 'text'] as const;
export type ItemRule = (typeof ITEM_RULES)[number];

/** Lookup key of an item among the articles of its source. */
export interface LookupKey {
  readonly kind: 'guid' | 'link' | 'keyless' | 'set';
  /**
   * What is set for the feed; else the guid as written, else the link, else the link of the enclosure;
   * empty for `keyless`.
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
