import { requestJson } from '../../host/http.js';
import { change, NEWS_ROOT } from './news-request.js';

/** A board of a group. */
export interface Board {
  readonly id: number;
  readonly name: string;
  readonly groupName: string;
  /** Whether the visitor may add to it. */
  readonly member: boolean;
  /** Whether the visitor may remove what others have added. */
  readonly editor: boolean;
}

/** What is on a board, with those who have added it, the first one first. */
export interface BoardEntry {
  readonly id: number;
  readonly title: string | null;
  readonly url: string | null;
  readonly added: readonly {
    /** Null: the account is gone. */
    readonly userId: string | null;
    readonly name: string;
    readonly note: string;
    /** Unix seconds. */
    readonly addedAt: number;
  }[];
}

export const listBoards = async () =>
  (await requestJson<{ boards: readonly Board[] }>(`${NEWS_ROOT}/boards`)).boards;

export const addToBoard = (boardId: number, itemId: number, note: string) =>
  change('POST', `/boards/${boardId}/entries`, { itemId, note });

/** Newest first. @param before the id of the last one known; 0: from the newest on */
export const listEntries = async (boardId: number, before: number, limit: number) => {
  const path = `${NEWS_ROOT}/boards/${boardId}/entries`;
  const query = { offset: String(before), batchSize: String(limit) };
  return (await requestJson<{ entries: readonly BoardEntry[] }>(path, { query })).entries;
};

export const removeEntry = (boardId: number, entryId: number) =>
  change('DELETE', `/boards/${boardId}/entries/${entryId}`);
