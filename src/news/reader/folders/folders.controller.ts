import { z } from 'zod';
import { ApiPost, Delete, Get, Put } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { orElse } from '../../../common/http/loose-inputs.js';
import { EVERY_LEVEL, NewsController } from '../../http/levels.guard.js';
import { PutOrPost } from '../../http/put-or-post.decorator.js';
import { DONE_MANY, DONE_ONE, DoneOneAnswer, DoneManyAnswer } from '../../news.wire.js';
import { FolderPath, boolean, integer, text } from '../../parameters.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import type { Folder } from './folders.repository.js';
import { FoldersService } from './folders.service.js';

const FolderSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    opened: z.boolean(),
    feeds: z.array(z.unknown()).max(0),
  })
  .meta({ id: 'Folder' });

const FoldersAnswer = z.object({ folders: z.array(FolderSchema) });

const FolderName = z.object({ name: text });
const RenameFolder = z.object({ folderId: integer, name: text });
/** If `undoable`, the folder can be restored until the clean-up removes it. */
const RemoveFolder = z.object({ folderId: integer, undoable: orElse(boolean, false) });
const ReadFolderUpTo = z.object({ folderId: integer, newestItemId: integer });

/** @see docs/spec/feed-reader-api.md "Folders" */
@NewsController(EVERY_LEVEL, 'folders')
export class FoldersController {
  constructor(private readonly folders: FoldersService) {}

  @InTurn()
  @Get('', 'Lists the folders of the caller.', FoldersAnswer)
  async list(@CurrentReader() reader: Reader) {
    return { folders: (await this.folders.list(reader)).map(toFolderJson) };
  }

  @ApiPost('', 'Creates a folder.', FoldersAnswer)
  async create(
    @CurrentReader() reader: Reader,
    @Input(FolderName) { name }: In<typeof FolderName>,
  ) {
    return { folders: [toFolderJson(await this.folders.create(reader, name))] };
  }

  @Put(':folderId', 'Renames a folder.', DoneOneAnswer)
  async rename(
    @CurrentReader() reader: Reader,
    @Input(RenameFolder) { folderId, name }: In<typeof RenameFolder>,
  ) {
    await this.folders.rename(reader, folderId, name);
    return DONE_ONE;
  }

  @Delete(':folderId', 'Removes a folder with its feeds.', DoneOneAnswer)
  async remove(
    @CurrentReader() reader: Reader,
    @Input(RemoveFolder) { folderId, undoable }: In<typeof RemoveFolder>,
  ) {
    await (undoable
      ? this.folders.removeForNow(reader, folderId)
      : this.folders.remove(reader, folderId));
    return DONE_ONE;
  }

  @ApiPost(':folderId/restore', 'Undoes the removal of a folder.', FoldersAnswer)
  async restore(
    @CurrentReader() reader: Reader,
    @Input(FolderPath) { folderId }: In<typeof FolderPath>,
  ) {
    return { folders: [toFolderJson(await this.folders.restore(reader, folderId))] };
  }

  @PutOrPost(':folderId/read', 'Marks the items of a folder read, up to an item.', DoneManyAnswer)
  @WorksOnFullDisk()
  async markRead(
    @CurrentReader() reader: Reader,
    @Input(ReadFolderUpTo) { folderId, newestItemId }: In<typeof ReadFolderUpTo>,
  ) {
    await this.folders.markReadUpTo(reader, folderId, newestItemId);
    return DONE_MANY;
  }
}

/** @see docs/spec/feed-reader-api.md "Folder" */
function toFolderJson(folder: Folder) {
  return { id: folder.id, name: folder.name, opened: true, feeds: [] };
}
