import { shallowRef } from 'vue';
import type { PublishableList } from './feeds-out-api.js';
import type { RowJson } from './items-api.js';
import type { SavedSearch, SearchDraft } from './search-api.js';

/** Without an id it is a new one. */
export type OpenedSearch = SearchDraft & Partial<Pick<SavedSearch, 'id' | 'usedBy'>>;

/** A dialog that several parts of the page open. */
export type OpenDialog =
  | { readonly of: 'search'; readonly search: OpenedSearch }
  | { readonly of: 'publish'; readonly list: PublishableList & { readonly name: string } }
  | { readonly of: 'board'; readonly item: { readonly id: number; readonly title: string } }
  | { readonly of: 'mute'; readonly item: Pick<RowJson, 'title' | 'snippet' | 'feedId'> };

export const openDialog = shallowRef<OpenDialog | null>(null);
