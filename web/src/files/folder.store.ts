import { defineStore } from 'pinia';
import { computed, ref } from 'vue';
import { RequestFailed } from '../host/http.js';
import { pageLocale } from '../host/regional-locale.js';
import { undoing } from '../host/undoing.js';
import {
  findEntries,
  findFavorites,
  listFolder,
  setFavorite,
  type Entry,
  type Folder,
} from './dav.js';
import { reordered, sorted, withToggled, type EntryOrder, type SortKey } from './entry-order.js';

/** The current folder, the results of a search below it, or the favorites: entries, order and selection. */
export const useFolder = defineStore('folder', () => new ShownFolder());

class ShownFolder {
  readonly path = ref('');
  /** Empty: no search. */
  readonly words = ref('');
  readonly onlyFavorites = ref(false);
  readonly folder = ref<Folder>({ entries: [], usedBytes: 0, availableBytes: null });
  readonly state = ref<'loading' | 'shown' | 'missing' | 'failed'>('loading');
  readonly order = ref<EntryOrder>({ key: 'name', descending: false });
  readonly selected = ref<ReadonlySet<number>>(new Set());
  #loading = new AbortController();

  readonly entries = computed(() =>
    sorted(this.folder.value.entries, this.order.value, pageLocale()),
  );
  readonly selection = computed(() =>
    this.entries.value.filter(({ fileId }) => this.selected.value.has(fileId)),
  );

  readonly open = async (wanted: string, sought = '', favorites = false): Promise<void> => {
    const isOther = wanted !== this.path.value || favorites !== this.onlyFavorites.value;
    if (isOther || sought !== this.words.value) {
      this.select([]);
    }
    // Earlier results stay until the results for the longer text arrive.
    if (isOther || sought === '' || this.words.value === '') {
      this.folder.value = { ...this.folder.value, entries: [] };
    }
    this.path.value = wanted;
    this.words.value = sought;
    this.onlyFavorites.value = favorites;
    this.state.value = this.folder.value.entries.length > 0 ? 'shown' : 'loading';
    await this.reload();
  };

  readonly reload = async (): Promise<void> => {
    this.#loading.abort();
    const { signal } = (this.#loading = new AbortController());
    try {
      this.folder.value = await this.#load(signal);
      this.state.value = 'shown';
      this.select(this.selection.value.map(({ fileId }) => fileId));
    } catch (error) {
      if (!signal.aborted) {
        const isMissing = error instanceof RequestFailed && [403, 404].includes(error.status);
        this.state.value = isMissing ? 'missing' : 'failed';
      }
    }
  };

  async #load(signal: AbortSignal): Promise<Folder> {
    if (this.words.value === '' && !this.onlyFavorites.value) {
      return listFolder(this.path.value, signal);
    }
    const entries = this.onlyFavorites.value
      ? await findFavorites(signal)
      : await findEntries(this.words.value, this.path.value, signal);
    return { ...this.folder.value, entries };
  }

  readonly sortBy = (key: SortKey): void => {
    this.order.value = reordered(this.order.value, key);
  };

  readonly select = (ids: Iterable<number>): void => {
    this.selected.value = new Set(ids);
  };

  readonly toggle = (id: number): void => {
    this.selected.value = withToggled(this.selected.value, id);
  };

  /** Optimistic: shown at once and undone when the service refuses. */
  readonly favor = async (entry: Entry): Promise<void> => {
    this.#mark(entry, !entry.favorite);
    await undoing(setFavorite(entry, !entry.favorite), () => this.#mark(entry, entry.favorite));
  };

  #mark({ fileId }: Entry, favorite: boolean): void {
    const entries = this.folder.value.entries.map((entry) =>
      entry.fileId === fileId ? { ...entry, favorite } : entry,
    );
    this.folder.value = { ...this.folder.value, entries };
  }
}
