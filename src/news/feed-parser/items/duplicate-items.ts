import { md5 } from './item-identity.js';
import type { LookupKey, WrittenItem } from './lookup-key.js';

/**
 * Finds duplicate entries of a document: same key, title, date, body and link. With a guid and the
 * same link, one of title, date and body may differ; without guid and link, author and picture must
 * be equal too. A key that is set for the feed is enough.
 */
export class DuplicateItems {
  /** By key and link: the first item of each, until its signatures are needed. */
  readonly #first = new Map<string, WrittenItem | null>();
  readonly #seen = new Set<string>();

  /** Whether an earlier item is the same; remembers this one. */
  has(item: WrittenItem, key: LookupKey): boolean {
    const isSet = key.kind === 'set';
    const address = JSON.stringify([key.kind, key.text, isSet ? null : item.url]);
    const first = this.#first.get(address);
    if (isSet && first !== undefined) {
      return true;
    }
    if (first === undefined) {
      this.#first.set(address, item);
      return false;
    }
    if (first !== null) {
      this.#remember(signaturesOf(first, key));
      this.#first.set(address, null);
    }
    const signatures = signaturesOf(item, key);
    const isRepeated = signatures.some((signature) => this.#seen.has(signature));
    if (!isRepeated) {
      this.#remember(signatures);
    }
    return isRepeated;
  }

  #remember(signatures: readonly string[]): void {
    for (const signature of signatures) {
      this.#seen.add(signature);
    }
  }
}

function signaturesOf(item: WrittenItem, { kind, text }: LookupKey): string[] {
  const { title, html, url, author, mediaThumbnail } = item;
  const read = [title, item.pubDateSeconds, html];
  const parts = kind === 'keyless' ? [...read, author, mediaThumbnail] : read;
  const kept = kind === 'guid' ? parts.map((_, left) => parts.toSpliced(left, 1)) : [parts];
  return kept.map((some, left) => md5(JSON.stringify([kind, text, url, left, ...some])));
}
