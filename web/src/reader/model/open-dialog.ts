import { shallowRef } from 'vue';
import type { RowJson } from './items-api.js';
import type { SearchDraft } from './search-api.js';

/** A dialog that several parts of the page open. */
export type OpenDialog =
  /** Without an id the search is new. */
  | { readonly of: 'search'; readonly search: SearchDraft & { readonly id?: number } }
  | { readonly of: 'mute'; readonly item: Pick<RowJson, 'title' | 'snippet' | 'feedId'> };

export const openDialog = shallowRef<OpenDialog | null>(null);
