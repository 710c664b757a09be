import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import type { AdministrativeChange } from '../../common/ports/administration-log.js';
import { GIVEN } from '../adding/given-source.js';
import { GroupFoldersRepository } from '../group-folders/group-folders.repository.js';
import {
  GroupFoldersService,
  isAdministrator,
  type Editor,
} from '../group-folders/group-folders.service.js';
import { BoardNotFound } from '../news.errors.js';
import { checkedTitle } from '../reader/feeds/feeds.service.js';
import { BoardsRepository, type Board } from './boards.repository.js';

/** Boards of groups: feeds of their folders, which editors make and members fill. */
@Injectable()
export class BoardsService {
  constructor(
    private readonly boards: BoardsRepository,
    private readonly folders: GroupFoldersService,
    private readonly folderRows: GroupFoldersRepository,
    private readonly config: Config,
  ) {}

  /** Those of the caller's groups; for administrators all. */
  async list(caller: Editor): Promise<Board[]> {
    return this.boards.list(caller.account.userId, isAdministrator(caller));
  }

  /** @throws BoardNotFound also for boards of groups without the caller */
  async find(caller: Editor, boardId: number): Promise<Board> {
    const { userId } = caller.account;
    return BoardNotFound.unless(
      await this.boards.find(boardId, userId, isAdministrator(caller)),
      boardId,
    );
  }

  /** @throws BoardNotFound also for who neither edits its folder nor is an administrator */
  async findToEdit(caller: Editor, boardId: number): Promise<Board> {
    const board = await this.find(caller, boardId);
    return BoardNotFound.unless(board.isEditor || isAdministrator(caller) ? board : null, boardId);
  }

  /**
   * Makes a board in the folder of a group, as a mandatory feed.
   *
   * @throws GroupFolderNotFound, LimitReached, InvalidFeedTitle
   */
  async create(editor: Editor, folderId: number, givenName: string): Promise<number> {
    const name = checkedTitle(givenName).toWellFormed();
    const { limits } = this.config;
    return this.folders.change(editor, folderId, `added the board "${name}"`, async (tx) => {
      const most = limits['feeds-per-group-folder'];
      const feeds = await this.folderRows.countFeeds(folderId, most, tx);
      assertBelowLimit(this.config, 'feeds-per-group-folder', feeds);
      const boards = await this.boards.countInGroup(folderId, limits['boards-per-group'], tx);
      assertBelowLimit(this.config, 'boards-per-group', boards);
      const url = `${GIVEN}board/${encodeURIComponent(name)}`;
      const sourceId = await this.boards.createSource(name, url, tx);
      await this.folderRows.addFeeds(folderId, [{ sourceId, url, isMandatory: true }], tx);
      return this.boards.create(folderId, sourceId, tx);
    });
  }

  /** Members lose it. @throws BoardNotFound, GroupFolderNotFound */
  async remove(editor: Editor, boardId: number): Promise<void> {
    const { folderId, feedId, name } = await this.find(editor, boardId);
    await this.folders.change(editor, folderId, `removed the board "${name}"`, (tx) =>
      this.folderRows.removeFeed(folderId, feedId, tx),
    );
  }
}

/** Of a board, for the audit log. */
export function boardChange({ groupId, name }: Board, what: string): AdministrativeChange {
  const subject = { kind: 'group', id: groupId } as const;
  return { kind: 'group_changed', subject, details: `board "${name}": ${what}` };
}
