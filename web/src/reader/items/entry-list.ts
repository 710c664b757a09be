import { shallowRef, triggerRef, type ShallowRef } from 'vue';
import { toEntry, type Entry } from './entry.js';
import type { ItemJson } from './items-api.js';

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

  /** Highest id of a list sorted by id; 0 when it is empty. */
  newestId(): number {
    const { value } = this.entries;
    return Math.max(value[0]?.id ?? 0, value.at(-1)?.id ?? 0);
  }

  clear(): void {
    this.entries.value = [];
    this.#indexes = new Map();
  }

  append(items: readonly ItemJson[]): void {
    for (const item of items) {
      if (!this.#indexes.has(item.id)) {
        this.#indexes.set(item.id, this.entries.value.length);
        this.entries.value.push(toEntry(item));
      }
    }
    this.publish();
  }

  /** Does nothing unless the entry is loaded. */
  change(id: number, changes: Partial<Entry>): void {
    const entry = this.find(id);
    if (entry !== undefined) {
      this.entries.value[this.indexOf(id)] = { ...entry, ...changes };
    }
  }

  publish(): void {
    triggerRef(this.entries);
  }
}
