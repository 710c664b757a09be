import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Config } from '../../common/config/config.js';
import { PublicAddress } from '../../common/config/public-address.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { Allowances } from '../../common/ports/allowances.js';
import { DAY_SECONDS } from '../../common/units.js';
import type { SqlRunner } from '../../database/database.js';
import { givenDocument } from '../adding/added-items.service.js';
import { boardBody, entryOfGuid, guidOfEntry, withoutAdditions } from '../board-body.js';
import { FeedReadingPool } from '../feed-parser/pool/reading-pool.js';
import { isAdministrator, type Editor } from '../group-folders/group-folders.service.js';
import { BoardNotFound, ItemNotFound } from '../news.errors.js';
import { DeliveryService } from '../reader/delivery/delivery.service.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { ArticlesRepository } from '../sources/articles/articles.repository.js';
import { isPublicSource } from '../sources/is-public-source.js';
import {
  AddedByOthers,
  BoardEntryNotFound,
  BoardFullForToday,
  PrivateForBoard,
} from './boards.errors.js';
import {
  BoardsRepository,
  type Board,
  type BoardArticle,
  type BoardEntry,
} from './boards.repository.js';
import { BoardsService } from './boards.service.js';

/** Of the article of an entry that was removed: copies in clients are replaced. Its author is the board: newsboat 2.21 needs one. */
const REMOVED = { title: 'Removed from the board', url: null, author: null, html: '' };

/**
 * What is on boards. An entry is an article of the board's source, which takes the way of fetched ones. Its rows are
 * changed first, under the lock of the board; its article is written from them until it is that of the last change.
 *
 * @see docs/decisions/0114-boards.md
 */
@Injectable()
export class BoardEntriesService {
  constructor(
    private readonly config: Config,
    private readonly address: PublicAddress,
    private readonly boards: BoardsService,
    private readonly rows: BoardsRepository,
    private readonly pool: FeedReadingPool,
    private readonly articles: ArticlesRepository,
    private readonly delivery: DeliveryService,
    private readonly allowances: Allowances,
  ) {}

  /** Newest first. @throws BoardNotFound */
  async list(
    caller: Editor,
    boardId: number,
    page: { readonly before: number; readonly limit: number },
  ): Promise<BoardEntry[]> {
    await this.boards.find(caller, boardId);
    return this.rows.entries(boardId, page.before, page.limit);
  }

  /**
   * Adds an item of the reader's. The same link is one entry, with all who have added it; added again by the same
   * user, it has the new note. Delivers.
   *
   * @throws BoardNotFound, ItemNotFound, PrivateForBoard, LimitReached, BoardFullForToday
   */
  async add(
    caller: Editor,
    reader: Reader,
    boardId: number,
    wanted: { readonly itemId: number; readonly note: string },
  ): Promise<BoardEntry> {
    const { userId, displayName } = caller.account;
    const board = await this.boards.find(caller, boardId);
    BoardNotFound.unless(board.isMember, boardId);
    const note = wanted.note.replaceAll('\0', '').trim().toWellFormed();
    assertBelowLimit(this.config, 'characters-per-note', note.length, 0);
    const { article, source } = ItemNotFound.unless(
      await this.rows.item(reader.id, wanted.itemId),
      wanted.itemId,
    );
    const isOnBoard = article.sourceId === board.sourceId;
    PrivateForBoard.unless(isOnBoard || isPublicSource(source));
    await this.#takePace(boardId);
    const entryId = await this.#change(board, async (tx) => {
      const id = isOnBoard
        ? await this.#entryOf(board, article, tx)
        : await this.#entryFor(board, article, tx);
      const others = await this.rows.countOthers(id, userId, tx);
      assertBelowLimit(this.config, 'people-per-board-entry', others);
      await this.rows.add(id, { userId, name: displayName.toWellFormed(), note }, tx);
      return id;
    });
    await this.#write(board, entryId, isOnBoard ? null : article);
    await this.delivery.deliverTo(reader);
    return BoardEntryNotFound.unless(await this.rows.entry(boardId, entryId), entryId);
  }

  /**
   * Editors of the folder and administrators remove the entry, others what they have added of it. Repeated, it ends what was
   * interrupted.
   *
   * @throws BoardNotFound, BoardEntryNotFound, AddedByOthers
   */
  async remove(caller: Editor, boardId: number, entryId: number): Promise<void> {
    const board = await this.boards.find(caller, boardId);
    const { userId } = caller.account;
    try {
      await this.#change(board, async (tx) => {
        const found = await this.rows.entry(boardId, entryId, tx);
        const { additions } = BoardEntryNotFound.unless(found, entryId);
        if (board.isEditor || isAdministrator(caller)) {
          await this.rows.removeEntry(entryId, tx);
        } else {
          AddedByOthers.unless(additions.some((addition) => addition.userId === userId));
          await this.rows.takeBack(entryId, userId, tx);
        }
      });
    } finally {
      // Also of what is refused, since a removal before may have ended without it.
      await this.#write(board, entryId, null);
    }
  }

  async #change<Result>(board: Board, work: (tx: SqlRunner) => Promise<Result>): Promise<Result> {
    const done = await this.rows.change(board.id, async (tx) => ({ result: await work(tx) }));
    return BoardNotFound.unless(done, board.id).result;
  }

  /** What is taken back was told to webhooks, and a new note to all clients, so both count. */
  async #takePace(boardId: number): Promise<void> {
    const most = this.config.limits['entries-per-board-and-day'];
    const allowance = { kind: 'entries', most, periodSeconds: DAY_SECONDS };
    const { granted, waitSeconds } = await this.allowances.take(`board ${boardId}`, allowance);
    BoardFullForToday.unless(granted > 0, most, waitSeconds);
  }

  /** The entry that an item of the board itself shows. */
  async #entryOf(board: Board, { guid }: BoardArticle, tx: SqlRunner): Promise<number> {
    const id = entryOfGuid(guid);
    return BoardEntryNotFound.unless(await this.rows.entry(board.id, id, tx), id).id;
  }

  async #entryFor(board: Board, article: BoardArticle, tx: SqlRunner): Promise<number> {
    const hash = createHash('sha256')
      .update(article.url ?? article.guid)
      .digest();
    const present = await this.rows.idOf(board.id, hash, tx);
    if (present !== null) {
      return present;
    }
    const most = this.config.limits['entries-per-board'];
    const count = await this.rows.countEntries(board.id, most, tx);
    assertBelowLimit(this.config, 'entries-per-board', count);
    return this.rows.createEntry(board.id, hash, article, tx);
  }

  /** @param content null: what its article has now */
  async #write(board: Board, entryId: number, content: BoardArticle | null): Promise<void> {
    const guid = guidOfEntry(entryId);
    let written: BoardEntry | null;
    let present = await this.rows.entry(board.id, entryId);
    do {
      written = present;
      await this.#writeArticle(board, guid, written, content);
      present = await this.rows.entry(board.id, entryId);
    } while (present?.rev !== written?.rev);
  }

  async #writeArticle(
    { sourceId, name }: Board,
    guid: string,
    entry: BoardEntry | null,
    content: BoardArticle | null,
  ): Promise<void> {
    const isWritten = entry === null || content === null;
    const present = isWritten ? await this.rows.article(sourceId, guid) : content;
    if (entry === null && present === null) {
      // It was not written, so nobody has it.
      return;
    }
    const { title, url, author, html } =
      entry === null ? { ...REMOVED, author: name } : (present ?? { ...REMOVED, ...entry });
    const text = content === null ? withoutAdditions(html ?? '') : (html ?? '');
    const item = {
      guid,
      url: url ?? undefined,
      title: title ?? undefined,
      author: author ?? undefined,
      body: entry === null ? '' : boardBody(entry.additions, text),
      pubDate: entry?.additions[0]?.addedSeconds,
      enclosureLink: undefined,
      enclosureMime: undefined,
    };
    const read = await this.pool.read({
      bytes: givenDocument([item]),
      contentType: 'application/feed+json',
      url: this.address.root,
      ownOrigin: new URL(this.address.root).origin,
    });
    // Treated like a truncated document: unlisted items stay.
    const document = { ...read, title: name, cut: true };
    const ingested = await this.articles.addGiven(sourceId, document);
    const most = this.config.limits['new-articles-per-source-and-day'];
    BoardFullForToday.unless(ingested === null || ingested.postponedItems === 0, most, DAY_SECONDS);
  }
}
