import { createHash, hash } from 'node:crypto';

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

/** The digits of one part. */
export function partOf(evidence: string | null, part: EvidencePart): string {
  const from = PARTS[part] * EVIDENCE_DIGITS;
  return evidence?.slice(from, from + EVIDENCE_DIGITS) ?? NO_EVIDENCE;
}

/** Lower-case hex MD5 of the concatenated texts; null counts as the empty text. */
export function md5(...texts: readonly (string | null)[]): string {
  return hash('md5', texts.join(''));
}
