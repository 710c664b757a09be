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
  /** All that may follow the colon, if they are few. */
  readonly values: readonly string[];
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
  readonly unreadCount: number;
  /** False: there may be more. */
  readonly isCounted: boolean;
  /** Names of rules and searches. */
  readonly usedBy: readonly string[];
}

/**
 * @param as `search`: as a search reads it, with `or` in any case and a last word that may be unfinished
 * @throws RequestFailed 422 with `details.at`, a place in the query, if it cannot be read
 */
export const checkQuery = (
  query: string,
  as: 'query' | 'search',
  signal: AbortSignal,
): Promise<CheckedQuery> =>
  requestJson<CheckedQuery>(`${NEWS_ROOT}/search/reading`, { query: { query, as }, signal });

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
