import { shallowRef, triggerRef, type ShallowRef } from 'vue';
import type { Entry } from '../model/entry.js';
import { foldedCopies } from '../model/story-rules.js';

/**
 * The loaded entries of a list in its order, without copies of stories that others show, with their indexes by id. Changed entries are replaced,
 * so that the rows showing them are rendered again; `publish` announces any number of changes at once.
 */
export class EntryList {
  readonly entries: ShallowRef<Entry[]> = shallowRef([]);
  #indexes = new Map<number, number>();
  readonly #copies = new Map<number, Entry>();

  indexOf(id: number): number {
    return this.#indexes.get(id) ?? -1;
  }

  find(id: number): Entry | undefined {
    return this.entries.value[this.indexOf(id)] ?? this.#copies.get(id);
  }

  clear(): void {
    this.entries.value = [];
    this.#indexes = new Map();
    this.#copies.clear();
  }

  append(rows: readonly Entry[]): void {
    for (const row of rows) {
      if (!this.#indexes.has(row.id) && !this.#copies.has(row.id)) {
        this.#indexes.set(row.id, this.entries.value.length);
        this.entries.value.push(row);
      }
    }
    this.#fold();
    this.publish();
  }

  #fold(): void {
    const folded = foldedCopies(this.entries.value);
    if (folded.size > 0) {
      const isFolded = ({ id }: Entry) => folded.has(id);
      this.entries.value.filter(isFolded).forEach((entry) => this.#copies.set(entry.id, entry));
      this.entries.value = this.entries.value.filter((entry) => !isFolded(entry));
      this.#indexes = new Map(this.entries.value.map(({ id }, n) => [id, n]));
    }
  }

  /** Does nothing unless the entry is loaded. */
  change(id: number, fields: Partial<Entry>): void {
    const [index, copy] = [this.indexOf(id), this.#copies.get(id)];
    const entry = this.entries.value[index];
    if (entry !== undefined) {
      this.entries.value[index] = { ...entry, ...fields };
    } else if (copy !== undefined) {
      this.#copies.set(id, { ...copy, ...fields });
    }
  }

  publish(): void {
    triggerRef(this.entries);
  }
}
