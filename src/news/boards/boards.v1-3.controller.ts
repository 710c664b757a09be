import { z } from 'zod';
import { ApiPost, Delete, Get } from '../../common/contracts/routes.js';
import { CurrentCredential, CurrentUser } from '../../common/http/current-user.decorator.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { orElse } from '../../common/http/loose-inputs.js';
import type { Account, Credential } from '../../common/ports/user-directory.js';
import { NewsController, V1_3 } from '../http/levels.guard.js';
import { DONE_ONE, DoneOneAnswer } from '../news.wire.js';
import { integer, text } from '../parameters.js';
import { CurrentReader } from '../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { BoardEntriesService } from './board-entries.service.js';
import type { BoardEntry } from './boards.repository.js';
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
  async list(
    @CurrentUser() account: Account,
    @CurrentCredential() credential: Credential | undefined,
  ) {
    const boards = await this.boards.list({ account, credential });
    return {
      boards: boards.map(({ id, name, folderId, groupId, groupName, isMember, isEditor }) => ({
        id,
        name,
        groupFolderId: folderId,
        groupId,
        groupName,
        member: isMember,
        editor: isEditor,
      })),
    };
  }

  @ApiPost('', 'Makes a board in the folder of a group.', CreatedAnswer)
  async create(
    @CurrentUser() account: Account,
    @CurrentCredential() credential: Credential | undefined,
    @Input(CreateBoard) { groupFolderId, name }: In<typeof CreateBoard>,
  ) {
    return { id: await this.boards.create({ account, credential }, groupFolderId, name) };
  }

  @Delete(':boardId', 'Removes a board.', DoneOneAnswer)
  async remove(
    @CurrentUser() account: Account,
    @CurrentCredential() credential: Credential | undefined,
    @Input(BoardPath) { boardId }: In<typeof BoardPath>,
  ) {
    await this.boards.remove({ account, credential }, boardId);
    return DONE_ONE;
  }

  @Get(':boardId/entries', 'Lists what is on a board, newest first.', EntriesAnswer)
  async listEntries(
    @CurrentUser() account: Account,
    @CurrentCredential() credential: Credential | undefined,
    @Input(ListEntries) { boardId, offset, batchSize }: In<typeof ListEntries>,
  ) {
    const limit = Math.min(Math.max(batchSize, 1), MOST_ENTRIES);
    const page = { before: Math.max(offset, 0), limit };
    const entries = await this.entries.list({ account, credential }, boardId, page);
    return { entries: entries.map(toEntryJson) };
  }

  @ApiPost(':boardId/entries', 'Adds an item to a board.', EntryAnswer)
  async add(
    @CurrentUser() account: Account,
    @CurrentCredential() credential: Credential | undefined,
    @CurrentReader() reader: Reader,
    @Input(AddEntry) { boardId, itemId, note }: In<typeof AddEntry>,
  ) {
    const wanted = { itemId, note };
    const entry = await this.entries.add({ account, credential }, reader, boardId, wanted);
    return { entry: toEntryJson(entry) };
  }

  @Delete(':boardId/entries/:entryId', 'Removes an entry of a board.', DoneOneAnswer)
  async removeEntry(
    @CurrentUser() account: Account,
    @CurrentCredential() credential: Credential | undefined,
    @Input(EntryPath) { boardId, entryId }: In<typeof EntryPath>,
  ) {
    await this.entries.remove({ account, credential }, boardId, entryId);
    return DONE_ONE;
  }
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
