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

/** What two items that share a lookup key are compared by; null where an item has none. */
export interface EvidenceParts {
  readonly title: string | null;
  /** The item's own; neither the document's date nor the time of the fetch. */
  readonly ownDateSeconds: number | null;
  /** Sanitised HTML, as stored. */
  readonly body: string;
  readonly url: string | null;
}

/** Hex digits of one part of the evidence; all zero where the item has none. */
export const EVIDENCE_DIGITS = 16;

/**
 * Title, own date, body and link, in this order: the first 16 hex digits of the MD5 of each, zeros
 * for one that is missing. `store/evidence.sql.ts` computes the same from stored columns.
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

/** The digits of one part. */
export function partOf(evidence: string | null, part: EvidencePart): string {
  const from = PARTS[part] * EVIDENCE_DIGITS;
  return evidence?.slice(from, from + EVIDENCE_DIGITS) ?? NO_EVIDENCE;
}

/** Lower-case hex MD5 of the texts written one after the other. */
export function md5(...texts: readonly (string | null)[]): string {
  const hash = createHash('md5');
  for (const text of texts) {
    hash.update(text ?? '');
  }
  return hash.digest('hex');
}
