import { readDate } from '../dates/read-date.js';
import { words } from '../words.js';

/** Elements with the date of the last change, in order of precedence. */
export const UPDATED = words(`
  updated atom:updated modified atom:modified dcterms:modified prism:modificationdate`);

/** Elements with the publication date, in order of precedence. */
export const PUBLISHED = [
  ...words(`
  pubdate published atom:published issued atom:issued dc:date dcterms:issued dcterms:available dcterms:date
  date created dcterms:created prism:publicationdate prism:coverdate prism:creationdate`),
  ...UPDATED,
];

const RANKS: ReadonlyMap<string, number> = new Map(PUBLISHED.map((name, rank) => [name, rank]));

/** The dates of all items of a document, collected before choosing the items to keep. */
export class ItemDates {
  /** Unix seconds in the order of the document, null where an item is not dated. */
  readonly found: (number | null)[] = [];
  #rank = Number.POSITIVE_INFINITY;

  beginItem(): void {
    this.found.push(null);
    this.#rank = Number.POSITIVE_INFINITY;
  }

  isDate(name: string): boolean {
    return RANKS.has(name);
  }

  /** @param name as in `PUBLISHED` */
  note(name: string, text: string): void {
    const rank = RANKS.get(name) ?? Number.POSITIVE_INFINITY;
    const seconds = rank < this.#rank ? readDate(text) : null;
    if (seconds === null || this.found.length === 0) {
      return;
    }
    this.#rank = rank;
    this.found[this.found.length - 1] = seconds;
  }
}
