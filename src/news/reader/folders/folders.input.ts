import { z } from 'zod';
import { orElse } from '../../../common/http/loose-inputs.js';
import { boolean, integer, text } from '../../parameters.js';

export const FolderName = z.object({ name: text });
export const RenameFolder = z.object({ folderId: integer, name: text });
/** With `undoable` the folder can be restored until the clean-up removes it. */
export const RemoveFolder = z.object({ folderId: integer, undoable: orElse(boolean, false) });
export const ReadFolderUpTo = z.object({ folderId: integer, newestItemId: integer });
