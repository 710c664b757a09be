import { shallowRef, triggerRef, type ShallowRef } from 'vue';
import type { Entry, Flags, Translated } from '../model/entry.js';

/**
 * The loaded entries of a list in its order, with their indexes by id. Changed entries are replaced,
 * so that the rows showing them are rendered again; `publish` announces any number of changes at once.
 */
export class EntryList {
  readonly entries: ShallowRef<Entry[]> = shallowRef([]);
  #indexes = new Map<number, number>();

  indexOf(id: number): number {
    return this.#indexes.get(id) ?? -1;
  }

  find(id: number): Entry | undefined {
    return this.entries.value[this.indexOf(id)];
  }

  clear(): void {
    this.entries.value = [];
    this.#indexes = new Map();
  }

  append(rows: readonly Entry[]): void {
    for (const row of rows) {
      if (!this.#indexes.has(row.id)) {
        this.#indexes.set(row.id, this.entries.value.length);
        this.entries.value.push(row);
      }
    }
    this.publish();
  }

  /** Does nothing unless the entry is loaded. */
  change(id: number, flags: Flags | Translated): void {
    const entry = this.find(id);
    if (entry !== undefined) {
      this.entries.value[this.indexOf(id)] = { ...entry, ...flags };
    }
  }

  publish(): void {
    triggerRef(this.entries);
  }
}
