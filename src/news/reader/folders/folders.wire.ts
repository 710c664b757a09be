import { z } from 'zod';
import type { Folder } from './folders.repository.js';

/** @see docs/spec/feed-reader-api.md "Folder" */
export function toFolderJson(folder: Folder): object {
  return { id: folder.id, name: folder.name, opened: true, feeds: [] };
}

const FolderSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    opened: z.boolean(),
    feeds: z.array(z.unknown()).max(0),
  })
  .meta({ id: 'Folder' });

export const FoldersAnswer = z.object({ folders: z.array(FolderSchema) });
