import { requestJson } from '../../host/http.js';

export interface GroupFeed {
  readonly id: number;
  readonly url: string;
  readonly title: string;
  readonly mandatory: boolean;
  readonly hasCredentials: boolean;
  readonly updateErrorCount: number;
  readonly lastUpdateError: string | null;
}

/** A folder of a group that the visitor may change. */
export interface GroupFolder {
  readonly id: number;
  readonly groupId: string;
  readonly groupName: string;
  readonly name: string;
  readonly members: number;
  readonly editors: readonly string[];
  readonly feeds: readonly GroupFeed[];
}

/** Headers for a publisher, which the service never shows again. */
export interface NewAccess {
  readonly userName?: string;
  readonly password?: string;
}

export interface ImportedFeeds {
  readonly added: number;
  readonly refused: readonly { readonly url: string; readonly reason: string }[];
}

const ROOT = '/apps/news/api/v1-3';
const PATH = `${ROOT}/group-folders`;
const ADMIN_PATH = `${ROOT}/admin/group-folders`;

export async function listGroupFolders(): Promise<readonly GroupFolder[]> {
  return (await requestJson<{ groupFolders: GroupFolder[] }>(PATH)).groupFolders;
}

export const createGroupFolder = (groupId: string, name: string): Promise<unknown> =>
  requestJson(ADMIN_PATH, { method: 'POST', json: { groupId, name } });

export const renameGroupFolder = (id: number, name: string): Promise<unknown> =>
  requestJson(`${PATH}/${id}`, { method: 'PUT', json: { name } });

export const removeGroupFolder = (id: number): Promise<unknown> =>
  requestJson(`${ADMIN_PATH}/${id}`, { method: 'DELETE' });

export const setEditors = (id: number, editors: readonly string[]): Promise<unknown> =>
  requestJson(`${ADMIN_PATH}/${id}/editors`, { method: 'PUT', json: { editors } });

export const addGroupFeed = (
  id: number,
  feed: { readonly url: string; readonly mandatory: boolean; readonly access?: NewAccess },
): Promise<unknown> => requestJson(`${PATH}/${id}/feeds`, { method: 'POST', json: feed });

/** Makes a board, a feed that members fill. */
export const createBoard = (groupFolderId: number, name: string): Promise<unknown> =>
  requestJson(`${ROOT}/boards`, { method: 'POST', json: { groupFolderId, name } });

export const importGroupFeeds = (id: number, file: File): Promise<ImportedFeeds> => {
  const body = new FormData();
  body.append('file', file);
  return requestJson<ImportedFeeds>(`${PATH}/${id}/opml`, { method: 'POST', body });
};

export const changeGroupFeed = (
  id: number,
  feedId: number,
  change: { readonly mandatory?: boolean; readonly access?: NewAccess },
): Promise<unknown> =>
  requestJson(`${PATH}/${id}/feeds/${feedId}`, { method: 'PATCH', json: change });

export const removeGroupFeed = (id: number, feedId: number): Promise<unknown> =>
  requestJson(`${PATH}/${id}/feeds/${feedId}`, { method: 'DELETE' });
