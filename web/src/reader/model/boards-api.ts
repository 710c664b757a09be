import { requestJson } from '../../host/http.js';
import { change, NEWS_ROOT } from './news-request.js';

/** A board of a group. */
export interface Board {
  readonly id: number;
  readonly name: string;
  readonly groupName: string;
  /** Whether the visitor may add to it. */
  readonly member: boolean;
}

export const listBoards = async () =>
  (await requestJson<{ boards: readonly Board[] }>(`${NEWS_ROOT}/boards`)).boards;

export const addToBoard = (boardId: number, itemId: number, note: string) =>
  change('POST', `/boards/${boardId}/entries`, { itemId, note });
