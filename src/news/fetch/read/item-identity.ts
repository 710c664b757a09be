import { createHash } from 'node:crypto';

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

export interface ItemIdentity {
  /** Names the item within its feed. */
  readonly guidHash: string;
  /** Equal for items that show the same thing, in whatever feed. */
  readonly fingerprint: string;
  /** Changes whenever anything a reader sees changes. */
  readonly contentHash: string;
}

/**
 * Clients know items by these values, so their recipe can never change: plain concatenation of
 * the stored texts, absent ones as the empty text, lower-case hex MD5.
 */
export function identify(item: IdentifiedItem): ItemIdentity {
  const shown = [item.title, item.url, item.body, item.enclosureLink];
  return {
    guidHash: md5(item.guid),
    fingerprint: md5(...shown),
    contentHash: md5(...shown, item.enclosureMime, item.author),
  };
}

/** Lower-case hex MD5 of the texts written one after the other. */
export function md5(...texts: readonly (string | null)[]): string {
  const hash = createHash('md5');
  for (const text of texts) hash.update(text ?? '');
  return hash.digest('hex');
}
