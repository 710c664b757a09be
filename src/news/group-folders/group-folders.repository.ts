import { Injectable } from '@nestjs/common';
import { countUpTo } from '../../database/count-up-to.js';
import { Database, type SqlRunner } from '../../database/database.js';

/** A feed of a group's folder, as its editors see it. */
export interface GroupFeed {
  readonly id: number;
  readonly folderId: number;
  readonly sourceId: number;
  readonly url: string;
  /** The publisher's; may be empty. */
  readonly title: string;
  readonly isMandatory: boolean;
  readonly access: Buffer | null;
  readonly errorCount: number;
  readonly lastError: string | null;
}

export interface GroupFolder {
  readonly id: number;
  readonly groupId: string;
  readonly groupName: string;
  readonly name: string;
  readonly members: number;
  readonly editors: readonly string[];
}

interface NewGroupFeed {
  readonly sourceId: number;
  readonly url: string;
  readonly isMandatory: boolean;
}

/** A feed that a group gives to a reader. */
export interface GivenFeed {
  readonly folderId: number | null;
  readonly feedId: number;
  readonly title: string;
  readonly isMandatory: boolean;
  readonly isOwn: boolean;
  readonly isHidden: boolean;
  readonly groupFeedId: number;
}

/** Of which folder and group a feed is. */
export interface Origin {
  readonly groupFeedId: number;
  readonly folderName: string;
  readonly groupName: string;
}

const FOLDERS = `
  select folder.id, folder.group_id as "groupId", its.display_name as "groupName", folder.name,
         (select count(*)::int from account_group_member member
           where member.group_id = folder.group_id) as members,
         array(select editor.user_id from group_folder_editor editor
                where editor.folder_id = folder.id order by editor.user_id) as editors
    from group_folder folder join account_group its on its.group_id = folder.group_id`;

/** Whether the user `$1` is an editor of `folder`: a person who has left the group is none. */
const IS_EDITOR = `exists (
  select 1 from group_folder_editor editor
    join account_group_member member on member.user_id = editor.user_id
   where editor.folder_id = folder.id and editor.user_id = $1
     and member.group_id = folder.group_id)`;

/** Folders of groups, and what is in them. Every change raises the revision of the folder. */
@Injectable()
export class GroupFoldersRepository {
  constructor(private readonly database: Database) {}

  /** All folders, or those that the user may change, by group and name. */
  async list(userId: string, isAdministrator: boolean): Promise<GroupFolder[]> {
    return this.database.query<GroupFolder>(
      `${FOLDERS} where $2 or ${IS_EDITOR} order by lower(its.display_name), lower(folder.name), folder.id`,
      [userId, isAdministrator],
    );
  }

  /** @returns null also if the user may not change it */
  async find(
    folderId: number,
    userId: string,
    isAdministrator: boolean,
  ): Promise<GroupFolder | null> {
    const [folder] = await this.database.query<GroupFolder>(
      `${FOLDERS} where folder.id = $3 and ($2 or ${IS_EDITOR})`,
      [userId, isAdministrator, folderId],
    );
    return folder ?? null;
  }

  /** Sorted. */
  async namesOf(groupId: string): Promise<string[]> {
    const rows = await this.database.query<{ name: string }>(
      'select name from group_folder where group_id = $1 order by lower(name), id',
      [groupId],
    );
    return rows.map(({ name }) => name);
  }

  async feeds(folderIds: readonly number[]): Promise<GroupFeed[]> {
    return this.database.query<GroupFeed>(
      `select feed.id, feed.folder_id as "folderId", feed.source_id as "sourceId", feed.url,
              source.title, feed.is_mandatory as "isMandatory", source.access,
              source.error_count as "errorCount", source.last_error as "lastError"
         from group_folder_feed feed join source on source.id = feed.source_id
        where feed.folder_id = any($1::bigint[])
        order by lower(source.title), feed.id`,
      [folderIds],
    );
  }

  /**
   * Runs a change of a folder, with its row locked.
   *
   * @returns null without such a folder
   */
  async change<Result>(
    folderId: number,
    work: (tx: SqlRunner) => Promise<Result>,
  ): Promise<Result | null> {
    return this.database.transaction(async (tx) => {
      const found = await tx.query(
        'update group_folder set rev = rev + 1 where id = $1 returning 1',
        [folderId],
      );
      return found.length === 0 ? null : work(tx);
    });
  }

  /**
   * Runs the creation of a folder, with the group's row locked.
   *
   * @returns null without such a group
   */
  async inGroup<Result>(
    groupId: string,
    work: (tx: SqlRunner) => Promise<Result>,
  ): Promise<Result | null> {
    return this.database.transaction(async (tx) => {
      const found = await tx.query(
        'select 1 as one from account_group where group_id = $1 for update',
        [groupId],
      );
      return found.length === 0 ? null : work(tx);
    });
  }

  async countFolders(groupId: string, most: number, tx: SqlRunner): Promise<number> {
    return countUpTo(tx, 'group_folder where group_id = $1', [groupId], most);
  }

  /** @returns null if the group has a folder of that name */
  async create(groupId: string, name: string, tx: SqlRunner): Promise<number | null> {
    const [created] = await tx.query<{ id: number }>(
      `insert into group_folder (group_id, name)
       select $1, $2 where not exists (select 1 from group_folder where group_id = $1 and name = $2)
       returning id`,
      [groupId, name],
    );
    return created?.id ?? null;
  }

  /** @returns false if the group has another folder of that name */
  async rename(folderId: number, name: string, tx: SqlRunner): Promise<boolean> {
    const renamed = await tx.query(
      `update group_folder set name = $2
        where id = $1
          and not exists (select 1 from group_folder other
                           where other.group_id = group_folder.group_id and other.name = $2
                             and other.id <> $1)
       returning 1`,
      [folderId, name],
    );
    return renamed.length > 0;
  }

  async remove(folderId: number): Promise<void> {
    await this.database.query('delete from group_folder where id = $1', [folderId]);
  }

  async setEditors(folderId: number, userIds: readonly string[], tx: SqlRunner): Promise<void> {
    await tx.query('delete from group_folder_editor where folder_id = $1', [folderId]);
    await tx.query(
      `insert into group_folder_editor (folder_id, user_id) select $1, unnest($2::text[])`,
      [folderId, userIds],
    );
  }

  /** Those of these users who are members of the group. */
  async membersAmong(groupId: string, userIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ userId: string }>(
      `select user_id as "userId" from account_group_member
        where group_id = $1 and user_id = any($2::text[])`,
      [groupId, userIds],
    );
    return rows.map(({ userId }) => userId);
  }

  async countFeeds(folderId: number, most: number, tx: SqlRunner): Promise<number> {
    return countUpTo(tx, 'group_folder_feed where folder_id = $1', [folderId], most);
  }

  /** @returns the sources that the folder did not have */
  async addFeeds(
    folderId: number,
    feeds: readonly NewGroupFeed[],
    tx: SqlRunner,
  ): Promise<number[]> {
    const rows = await tx.query<{ sourceId: number }>(
      `insert into group_folder_feed (folder_id, source_id, url, is_mandatory)
       select $1, * from unnest($2::bigint[], $3::text[], $4::boolean[])
       on conflict (folder_id, source_id) do nothing returning source_id as "sourceId"`,
      [
        folderId,
        feeds.map(({ sourceId }) => sourceId),
        feeds.map(({ url }) => url),
        feeds.map(({ isMandatory }) => isMandatory),
      ],
    );
    return rows.map(({ sourceId }) => sourceId);
  }

  /** @returns whether the folder has such a feed */
  async setMandatory(
    folderId: number,
    feedId: number,
    isMandatory: boolean,
    tx: SqlRunner,
  ): Promise<boolean> {
    const rows = await tx.query(
      `update group_folder_feed set is_mandatory = $3 where folder_id = $1 and id = $2 returning 1`,
      [folderId, feedId, isMandatory],
    );
    return rows.length > 0;
  }

  /** @returns whether the folder had such a feed */
  async removeFeed(folderId: number, feedId: number, tx: SqlRunner): Promise<boolean> {
    const rows = await tx.query(
      'delete from group_folder_feed where folder_id = $1 and id = $2 returning 1',
      [folderId, feedId],
    );
    return rows.length > 0;
  }

  /** What groups give to a reader, hidden feeds included. */
  async givenTo(readerId: number): Promise<GivenFeed[]> {
    return this.database.query<GivenFeed>(
      `select s.folder_id as "folderId", s.id as "feedId", coalesce(s.title, source.title) as title,
              s.is_mandatory as "isMandatory", s.is_own as "isOwn",
              s.deleted_at is not null as "isHidden", s.group_feed_id as "groupFeedId"
         from subscription s join source on source.id = s.source_id
        where s.reader_id = $1 and s.group_feed_id is not null
        order by lower(coalesce(s.title, source.title)), s.id`,
      [readerId],
    );
  }

  async originsOf(groupFeedIds: readonly number[]): Promise<Origin[]> {
    return this.database.query<Origin>(
      `select feed.id as "groupFeedId", folder.name as "folderName", its.display_name as "groupName"
         from group_folder_feed feed join group_folder folder on folder.id = feed.folder_id
         join account_group its on its.group_id = folder.group_id
        where feed.id = any($1::bigint[])`,
      [groupFeedIds],
    );
  }
}
