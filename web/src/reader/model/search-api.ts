import { requestJson } from '../../host/http.js';
import { change, NEWS_ROOT } from './news-request.js';

/** A query as the service understands it. */
export interface Reading {
  readonly canonical: string;
  /** With brackets. */
  readonly words: string;
}

export interface CheckedQuery extends Reading {
  /** What may have been meant otherwise, as sentences. */
  readonly hints: readonly string[];
  /** False: it names a state, which a rule at arrival cannot. */
  readonly isRule: boolean;
  readonly ruleProblem: string | null;
}

/** A name of the language of queries: `intitle`. */
export interface QueryField {
  readonly name: string;
  readonly example: string;
  readonly words: string;
}

/** What a saved search is made of. */
export interface SearchDraft {
  readonly name: string;
  readonly query: string;
  /** Shown to clients as a label. */
  readonly inClients: boolean;
}

export interface SavedSearch extends SearchDraft {
  readonly id: number;
  readonly words: string;
  /** At most 100, which may be more. */
  readonly unreadCount: number;
  /** False: the count is not known yet. */
  readonly isCounted: boolean;
}

/** `unreadCount` of a search with as many, or more. */
export const MOST_COUNTED = 100;

/** @throws RequestFailed 422 with `details.at`, a place in the query, if it cannot be read */
export const checkQuery = (query: string, signal: AbortSignal): Promise<CheckedQuery> =>
  requestJson<CheckedQuery>(`${NEWS_ROOT}/search/reading`, { query: { query }, signal });

export async function queryFields(): Promise<readonly QueryField[]> {
  const path = `${NEWS_ROOT}/search/language`;
  return (await requestJson<{ fields: QueryField[] }>(path, { keepCopy: true })).fields;
}

export async function listSearches(): Promise<readonly SavedSearch[]> {
  const path = `${NEWS_ROOT}/searches`;
  return (await requestJson<{ searches: SavedSearch[] }>(path, { keepCopy: true })).searches;
}

export async function addSearch(search: SearchDraft): Promise<SavedSearch> {
  return (await change<{ searches: [SavedSearch] }>('POST', '/searches', search)).searches[0];
}

export async function changeSearch(id: number, search: SearchDraft): Promise<SavedSearch> {
  return (await change<{ searches: [SavedSearch] }>('PUT', `/searches/${id}`, search)).searches[0];
}

export const removeSearch = (id: number): Promise<void> => change('DELETE', `/searches/${id}`);
