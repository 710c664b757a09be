import { z } from 'zod';
import { ApiPost, Delete, Get } from '../../common/contracts/routes.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { orElse } from '../../common/http/loose-inputs.js';
import { CurrentEditor } from '../group-folders/current-editor.decorator.js';
import type { Editor } from '../group-folders/group-folders.service.js';
import { NewsController, V1_3 } from '../http/levels.guard.js';
import { DONE_ONE, DoneOneAnswer } from '../news.wire.js';
import { integer, text } from '../parameters.js';
import { CurrentReader } from '../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { BoardEntriesService } from './board-entries.service.js';
import type { Board, BoardEntry } from './boards.repository.js';
import { BoardsService } from './boards.service.js';

const MOST_ENTRIES = 100;

const BoardsAnswer = z.object({
  boards: z.array(
    z
      .object({
        id: z.int(),
        name: z.string(),
        groupFolderId: z.int(),
        groupId: z.string(),
        groupName: z.string(),
        member: z.boolean().describe('Whether the caller may add to it.'),
        editor: z.boolean(),
        digest: z
          .object({ at: z.string(), timeZone: z.string(), wanted: z.boolean() })
          .nullable()
          .describe('When members get what was added by mail, and whether the caller wants it.'),
      })
      .meta({ id: 'Board' }),
  ),
});

const EntrySchema = z
  .object({
    id: z.int(),
    title: z.string().nullable(),
    url: z.string().nullable(),
    added: z.array(
      z.object({
        userId: z.string().nullable().describe('Null: the account is gone.'),
        name: z.string(),
        note: z.string(),
        addedAt: z.int(),
      }),
    ),
  })
  .meta({ id: 'BoardEntry' });

const EntriesAnswer = z.object({ entries: z.array(EntrySchema) });
const EntryAnswer = z.object({ entry: EntrySchema });
const CreatedAnswer = z.object({ id: z.int() });

const BoardPath = z.object({ boardId: integer });
const CreateBoard = z.object({ groupFolderId: integer, name: text });
const ListEntries = BoardPath.extend({
  offset: orElse(integer, 0),
  batchSize: orElse(integer, MOST_ENTRIES),
});
const AddEntry = BoardPath.extend({ itemId: integer, note: orElse(text, '') });
const EntryPath = BoardPath.extend({ entryId: integer });

/** Boards of groups. Beyond the specification. */
@NewsController(V1_3, 'boards')
export class BoardsV13Controller {
  constructor(
    private readonly boards: BoardsService,
    private readonly entries: BoardEntriesService,
  ) {}

  @Get('', 'Lists the boards of the groups of the caller.', BoardsAnswer)
  async list(@CurrentEditor() caller: Editor) {
    const boards = await this.boards.list(caller);
    return { boards: boards.map(toBoardJson) };
  }

  @ApiPost('', 'Makes a board in the folder of a group.', CreatedAnswer)
  async create(
    @CurrentEditor() caller: Editor,
    @Input(CreateBoard) { groupFolderId, name }: In<typeof CreateBoard>,
  ) {
    return { id: await this.boards.create(caller, groupFolderId, name) };
  }

  @Delete(':boardId', 'Removes a board.', DoneOneAnswer)
  async remove(
    @CurrentEditor() caller: Editor,
    @Input(BoardPath) { boardId }: In<typeof BoardPath>,
  ) {
    await this.boards.remove(caller, boardId);
    return DONE_ONE;
  }

  @Get(':boardId/entries', 'Lists what is on a board, newest first.', EntriesAnswer)
  async listEntries(
    @CurrentEditor() caller: Editor,
    @Input(ListEntries) { boardId, offset, batchSize }: In<typeof ListEntries>,
  ) {
    const limit = Math.min(Math.max(batchSize, 1), MOST_ENTRIES);
    const page = { before: Math.max(offset, 0), limit };
    const entries = await this.entries.list(caller, boardId, page);
    return { entries: entries.map(toEntryJson) };
  }

  @ApiPost(':boardId/entries', 'Adds an item to a board.', EntryAnswer)
  async add(
    @CurrentEditor() caller: Editor,
    @CurrentReader() reader: Reader,
    @Input(AddEntry) { boardId, itemId, note }: In<typeof AddEntry>,
  ) {
    const wanted = { itemId, note };
    const entry = await this.entries.add(caller, reader, boardId, wanted);
    return { entry: toEntryJson(entry) };
  }

  @Delete(':boardId/entries/:entryId', 'Removes an entry of a board.', DoneOneAnswer)
  async removeEntry(
    @CurrentEditor() caller: Editor,
    @Input(EntryPath) { boardId, entryId }: In<typeof EntryPath>,
  ) {
    await this.entries.remove(caller, boardId, entryId);
    return DONE_ONE;
  }
}

function toBoardJson(board: Board) {
  const { id, name, folderId, groupId, groupName, isMember, isEditor, digestAt } = board;
  return {
    id,
    name,
    groupFolderId: folderId,
    groupId,
    groupName,
    member: isMember,
    editor: isEditor,
    digest:
      digestAt === null
        ? null
        : { at: digestAt, timeZone: board.digestTimeZone ?? '', wanted: board.isDigestWanted },
  };
}

const toEntryJson = ({ id, title, url, additions }: BoardEntry) => ({
  id,
  title,
  url,
  added: additions.map(({ userId, name, note, addedSeconds }) => ({
    userId,
    name,
    note,
    addedAt: addedSeconds,
  })),
});
