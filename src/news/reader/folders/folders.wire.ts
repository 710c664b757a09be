import type { Folder } from './folders.repository.js';

/** @see docs/spec/feed-reader-api.md "Folder" */
export function toFolderJson(folder: Folder): object {
  return { id: folder.id, name: folder.name, opened: true, feeds: [] };
}
