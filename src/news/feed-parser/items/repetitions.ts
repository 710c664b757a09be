import { md5 } from './item-identity.js';
import type { LookupKey, WrittenItem } from './lookup-key.js';

/**
 * Finds entries that a document lists more than once. Two are the same when they share the key and
 * title, date, body and link are equal; with a guid that the publisher wrote and an equal link, one
 * of title, date and body may differ; without guid and link, author and picture are equal, too.
 */
export class Repetitions {
  readonly #seen = new Set<string>();

  /** Whether an item that was asked for before is the same; remembers this one. */
  has(item: WrittenItem, key: LookupKey): boolean {
    const signatures = signaturesOf(item, key);
    const isRepeated = signatures.some((signature) => this.#seen.has(signature));
    for (const signature of isRepeated ? [] : signatures) {
      this.#seen.add(signature);
    }
    return isRepeated;
  }
}

function signaturesOf(item: WrittenItem, { kind, text }: LookupKey): string[] {
  const { title, html, url, author, mediaThumbnail } = item;
  const read = [title, item.pubDateSeconds, html];
  const parts = kind === 'keyless' ? [...read, author, mediaThumbnail] : read;
  const kept = kind === 'guid' ? parts.map((_, left) => parts.toSpliced(left, 1)) : [parts];
  return kept.map((some, left) => md5(JSON.stringify([kind, text, url, left, ...some])));
}
