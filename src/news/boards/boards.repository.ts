import { Injectable } from '@nestjs/common';
import { createHash, randomUUID } from 'node:crypto';
import { countUpTo } from '../../database/count-up-to.js';
import { Database, type SqlRunner } from '../../database/database.js';
import { GIVEN_TO_BOARD, type BoardAddition } from '../board-body.js';
import { itemsByIds } from '../reader/items/item-list.sql.js';
import { IS_PRIVATE, type SourceSecrets } from '../sources/is-public-source.js';

/** A board, as one user may use it. */
export interface Board {
  readonly id: number;
  readonly name: string;
  /** Of `group_folder_feed`. */
  readonly feedId: number;
  readonly sourceId: number;
  readonly folderId: number;
  readonly groupId: string;
  readonly groupName: string;
  readonly isMember: boolean;
  /** Of the folder; still a member of the group. */
  readonly isEditor: boolean;
  /** When members get its digest by mail, `HH:MM`; null: never. */
  readonly digestAt: string | null;
  readonly digestTimeZone: string | null;
  /** Whether the user wants it. */
  readonly isDigestWanted: boolean;
}

/** An entry of a board, with those who have added it, the first one first. */
export interface BoardEntry {
  readonly id: number;
  readonly title: string | null;
  readonly url: string | null;
  readonly rev: number;
  readonly additions: readonly BoardAddition[];
}

/** An article that is on a board, or to be put there. */
export interface BoardArticle {
  readonly guid: string;
  readonly title: string | null;
  readonly url: string | null;
  readonly author: string | null;
  readonly html: string | null;
}

const ARTICLE = 'article.guid, article.title, article.url, article.author, article.html';

const BOARDS = `
  select board.id, source.title as name, board.feed_id as "feedId", board.source_id as "sourceId",
         folder.id as "folderId", folder.group_id as "groupId", its.display_name as "groupName",
         member.user_id is not null as "isMember", editor.user_id is not null as "isEditor",
         digest.at as "digestAt", digest.time_zone as "digestTimeZone",
         member.user_id is not null and not exists (
           select 1 from board_digest_refusal
            where board_id = board.id and user_id = $1) as "isDigestWanted"
    from board join source on source.id = board.source_id
    join group_folder_feed feed on feed.id = board.feed_id
    join group_folder folder on folder.id = feed.folder_id
    join account_group its on its.group_id = folder.group_id
    left join account_group_member member
           on member.group_id = folder.group_id and member.user_id = $1
    left join group_folder_editor editor
           on editor.folder_id = folder.id and editor.user_id = member.user_id
    left join board_digest digest on digest.board_id = board.id
   where (member.user_id is not null or $2)`;

const ENTRIES = `
  select entry.id, entry.title, entry.url, entry.rev,
         (select coalesce(jsonb_agg(jsonb_build_object(
                   'userId', user_id, 'name', name, 'note', note,
                   'addedSeconds', floor(extract(epoch from added_at))) order by id), '[]')
            from board_addition where entry_id = entry.id) as additions
    from board_entry entry where entry.board_id = $1`;

/** Boards, their entries, and who has added them. */
@Injectable()
export class BoardsRepository {
  constructor(private readonly database: Database) {}

  /** Of the groups of a user, or all, by group and name. */
  async list(userId: string, isAdministrator: boolean): Promise<Board[]> {
    return this.database.query<Board>(
      `${BOARDS} order by lower(its.display_name), lower(source.title), board.id`,
      [userId, isAdministrator],
    );
  }

  /** @returns null also if it is of a group without the user */
  async find(boardId: number, userId: string, isAdministrator: boolean): Promise<Board | null> {
    const [board] = await this.database.query<Board>(`${BOARDS} and board.id = $3`, [
      userId,
      isAdministrator,
      boardId,
    ]);
    return board ?? null;
  }

  /** Counts those of the group of a folder, no further than `most`. */
  async countInGroup(folderId: number, most: number, tx: SqlRunner): Promise<number> {
    const from = `board join group_folder_feed feed on feed.id = board.feed_id
                    join group_folder folder on folder.id = feed.folder_id
                   where folder.group_id = (select group_id from group_folder where id = $1)`;
    return countUpTo(tx, from, [folderId], most);
  }

  /** Creates the source of a board, which is not fetched. */
  async createSource(name: string, url: string, tx: SqlRunner): Promise<number> {
    const key = createHash('sha256').update(`board\0${randomUUID()}`).digest();
    const [source] = await tx.query<{ id: number }>(
      `insert into source (url, url_key, title, given_to, fetched_at)
       values ($1, $2, $3, $4, now()) returning id`,
      [url, key, name, GIVEN_TO_BOARD],
    );
    return source?.id ?? 0;
  }

  /** @returns the id of the board of a source, which is in the folder */
  async create(folderId: number, sourceId: number, tx: SqlRunner): Promise<number> {
    const [board] = await tx.query<{ id: number }>(
      `insert into board (feed_id, source_id)
       select id, source_id from group_folder_feed where folder_id = $1 and source_id = $2
       returning id`,
      [folderId, sourceId],
    );
    return board?.id ?? 0;
  }

  /** An item of the reader, and what decides whether others may see it. */
  async item(readerId: number, itemId: number) {
    const { sql, params } = itemsByIds(
      readerId,
      [itemId],
      'desc',
      `${ARTICLE}, article.source_id as "sourceId"`,
    );
    const [article] = await this.database.query<BoardArticle & { readonly sourceId: number }>(
      sql,
      params,
    );
    if (article === undefined) {
      return null;
    }
    const [source] = await this.database.query<SourceSecrets>(
      `select url, ${IS_PRIVATE} from source where id = $1`,
      [article.sourceId],
    );
    return source === undefined ? null : { article, source };
  }

  /** The article of an entry. */
  async article(sourceId: number, guid: string): Promise<BoardArticle | null> {
    const [article] = await this.database.query<BoardArticle>(
      `select article.guid, article.title, article.url, article.author, body.html
         from article left join article_body body on body.source_id = article.source_id
                                                 and body.article_id = article.id
        where article.source_id = $1 and article.guid_hash = decode(md5($2), 'hex')`,
      [sourceId, guid],
    );
    return article ?? null;
  }

  /**
   * Runs a change of a board, with its row locked.
   *
   * @returns null without such a board
   */
  async change<Result>(
    boardId: number,
    work: (tx: SqlRunner) => Promise<Result>,
  ): Promise<Result | null> {
    return this.database.transaction(async (tx) => {
      const found = await tx.query('select 1 as one from board where id = $1 for update', [
        boardId,
      ]);
      return found.length === 0 ? null : work(tx);
    });
  }

  async countEntries(boardId: number, most: number, tx: SqlRunner): Promise<number> {
    return countUpTo(tx, 'board_entry where board_id = $1', [boardId], most);
  }

  /** Who has added an entry besides the user. */
  async countOthers(entryId: number, userId: string, tx: SqlRunner): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      `select count(*)::int as count from board_addition
        where entry_id = $1 and user_id is distinct from $2`,
      [entryId, userId],
    );
    return row?.count ?? 0;
  }

  async idOf(boardId: number, linkHash: Buffer, tx: SqlRunner): Promise<number | null> {
    const [entry] = await tx.query<{ id: number }>(
      'select id from board_entry where board_id = $1 and link_hash = $2',
      [boardId, linkHash],
    );
    return entry?.id ?? null;
  }

  async createEntry(
    boardId: number,
    linkHash: Buffer,
    { title, url }: BoardArticle,
    tx: SqlRunner,
  ): Promise<number> {
    const [entry] = await tx.query<{ id: number }>(
      `insert into board_entry (board_id, link_hash, title, url) values ($1, $2, $3, $4)
       returning id`,
      [boardId, linkHash, title, url],
    );
    return entry?.id ?? 0;
  }

  /** Adds who has added an entry; with the note of now if they had before. */
  async add(
    entryId: number,
    { userId, name, note }: Omit<BoardAddition, 'addedSeconds'>,
    tx: SqlRunner,
  ): Promise<void> {
    await tx.query(
      `insert into board_addition (entry_id, user_id, name, note) values ($1, $2, $3, $4)
       on conflict (entry_id, user_id) do update set name = excluded.name, note = excluded.note`,
      [entryId, userId, name, note],
    );
    await tx.query('update board_entry set rev = rev + 1 where id = $1', [entryId]);
  }

  /** Removes who has added an entry, and the entry with the last one. */
  async takeBack(entryId: number, userId: string, tx: SqlRunner): Promise<void> {
    await tx.query('delete from board_addition where entry_id = $1 and user_id = $2', [
      entryId,
      userId,
    ]);
    await tx.query('update board_entry set rev = rev + 1 where id = $1', [entryId]);
    await tx.query(
      `delete from board_entry where id = $1
          and not exists (select 1 from board_addition where entry_id = $1)`,
      [entryId],
    );
  }

  async removeEntry(entryId: number, tx: SqlRunner): Promise<void> {
    await tx.query('delete from board_entry where id = $1', [entryId]);
  }

  async entry(
    boardId: number,
    entryId: number,
    tx: SqlRunner = this.database,
  ): Promise<BoardEntry | null> {
    const [entry] = await tx.query<BoardEntry>(`${ENTRIES} and entry.id = $2`, [boardId, entryId]);
    return entry ?? null;
  }

  /** Newest first. @param before an entry; 0: from the newest on */
  async entries(boardId: number, before: number, limit: number): Promise<BoardEntry[]> {
    return this.database.query<BoardEntry>(
      `${ENTRIES} and ($2 = 0 or entry.id < $2) order by entry.id desc limit $3`,
      [boardId, before, limit],
    );
  }

  /** Those after one and up to another, oldest first. */
  async between(
    boardId: number,
    after: number,
    upTo: number,
    limit: number,
  ): Promise<BoardEntry[]> {
    return this.database.query<BoardEntry>(
      `${ENTRIES} and entry.id > $2 and entry.id <= $3 order by entry.id limit $4`,
      [boardId, after, upTo, limit],
    );
  }

  async countBetween(boardId: number, after: number, upTo: number): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `select count(*)::int as count from board_entry
        where board_id = $1 and id > $2 and id <= $3`,
      [boardId, after, upTo],
    );
    return row?.count ?? 0;
  }
}
