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

export type SortKey = 'name' | 'size' | 'changed';

/** The current folder, the results of a search below it, or the favorites: entries, order and selection. */
export const useFolder = defineStore('folder', () => {
  const path = ref('');
  /** Empty: no search. */
  const words = ref('');
  const onlyFavorites = ref(false);
  const folder = ref<Folder>({ entries: [], usedBytes: 0, availableBytes: null });
  const state = ref<'loading' | 'shown' | 'missing' | 'failed'>('loading');
  const sortKey = ref<SortKey>('name');
  const descending = ref(false);
  const selected = ref<ReadonlySet<number>>(new Set());
  let loading = new AbortController();

  const entries = computed(() =>
    folder.value.entries.toSorted((a, b) => {
      if (a.isFolder !== b.isFolder) {
        return a.isFolder ? -1 : 1;
      }
      const order = compare(a, b, sortKey.value);
      return descending.value ? -order : order;
    }),
  );
  const selection = computed(() =>
    entries.value.filter(({ fileId }) => selected.value.has(fileId)),
  );

  async function open(wanted: string, sought = '', favorites = false): Promise<void> {
    const isOther = wanted !== path.value || favorites !== onlyFavorites.value;
    if (isOther || sought !== words.value) {
      selected.value = new Set();
    }
    // Earlier results stay until the results for the longer text arrive.
    if (isOther || sought === '' || words.value === '') {
      folder.value = { ...folder.value, entries: [] };
    }
    path.value = wanted;
    words.value = sought;
    onlyFavorites.value = favorites;
    state.value = folder.value.entries.length > 0 ? 'shown' : 'loading';
    await reload();
  }

  async function reload(): Promise<void> {
    loading.abort();
    const own = (loading = new AbortController());
    try {
      folder.value = await load(own.signal);
      state.value = 'shown';
      const present = new Set(folder.value.entries.map(({ fileId }) => fileId));
      selected.value = new Set([...selected.value].filter((id) => present.has(id)));
    } catch (error) {
      if (!own.signal.aborted) {
        const isMissing = error instanceof RequestFailed && [403, 404].includes(error.status);
        state.value = isMissing ? 'missing' : 'failed';
      }
    }
  }

  async function load(signal: AbortSignal): Promise<Folder> {
    if (words.value === '' && !onlyFavorites.value) {
      return listFolder(path.value, signal);
    }
    const entries = onlyFavorites.value
      ? await findFavorites(signal)
      : await findEntries(words.value, path.value, signal);
    return { ...folder.value, entries };
  }

  function sortBy(key: SortKey): void {
    descending.value = sortKey.value === key && !descending.value;
    sortKey.value = key;
  }

  function select(ids: Iterable<number>): void {
    selected.value = new Set(ids);
  }

  function toggle(id: number): void {
    const next = new Set(selected.value);
    if (!next.delete(id)) {
      next.add(id);
    }
    selected.value = next;
  }

  /** Optimistic: shown at once and undone when the service refuses. */
  async function favor(entry: Entry): Promise<void> {
    mark(entry, !entry.favorite);
    await undoing(setFavorite(entry, !entry.favorite), () => mark(entry, entry.favorite));
  }

  function mark({ fileId }: Entry, favorite: boolean): void {
    folder.value = {
      ...folder.value,
      entries: folder.value.entries.map((entry) =>
        entry.fileId === fileId ? { ...entry, favorite } : entry,
      ),
    };
  }

  return {
    path,
    words,
    onlyFavorites,
    folder,
    state,
    entries,
    sortKey,
    descending,
    selected,
    selection,
    open,
    reload,
    sortBy,
    select,
    toggle,
    favor,
  };
});

function compare(a: Entry, b: Entry, key: SortKey): number {
  if (key === 'size') {
    return a.sizeBytes - b.sizeBytes;
  }
  if (key === 'changed') {
    return a.changed.getTime() - b.changed.getTime();
  }
  return a.name.localeCompare(b.name, pageLocale(), { numeric: true });
}
