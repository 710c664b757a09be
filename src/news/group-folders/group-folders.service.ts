import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { AdministrationLog } from '../../common/ports/administration-log.js';
import type { GroupBelongings } from '../../common/ports/group-belongings.js';
import { mayAdminister, type Account, type Credential } from '../../common/ports/user-directory.js';
import type { SqlRunner } from '../../database/database.js';
import { checkedName, InvalidFolderName } from '../news.errors.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import {
  EditorsAreMembers,
  GroupFolderExists,
  GroupFolderNotFound,
  GroupNotFound,
} from './group-folders.errors.js';
import {
  GroupFoldersRepository,
  type GivenFeed,
  type GroupFeed,
  type GroupFolder,
  type Origin,
} from './group-folders.repository.js';
import { MembershipsService } from './memberships.service.js';

/** Who changes a folder: an administrator, or one of its editors. */
export interface Editor {
  readonly account: Account;
  readonly credential: Credential | undefined;
}

/** Of the folder that each member gets. The name may get the group's in brackets. */
const MAX_NAME_CHARACTERS = 100;

/** Folders of groups, which administrators make, and editors fill. */
@Injectable()
export class GroupFoldersService implements GroupBelongings {
  constructor(
    private readonly folders: GroupFoldersRepository,
    private readonly memberships: MembershipsService,
    private readonly log: AdministrationLog,
    private readonly config: Config,
  ) {}

  /** Those that the caller may change, with their feeds. */
  async list(editor: Editor): Promise<(GroupFolder & { readonly feeds: readonly GroupFeed[] })[]> {
    const folders = await this.folders.list(editor.account.userId, isAdministrator(editor));
    const feeds = await this.folders.feeds(folders.map(({ id }) => id));
    const inFolder = Map.groupBy(feeds, ({ folderId }) => folderId);
    return folders.map((folder) => ({ ...folder, feeds: inFolder.get(folder.id) ?? [] }));
  }

  async foldersOf(groupId: string): Promise<readonly string[]> {
    return this.folders.namesOf(groupId);
  }

  /** What groups give to a reader, with folder and group. */
  async givenTo(reader: Reader): Promise<(GivenFeed & Omit<Origin, 'groupFeedId'>)[]> {
    const feeds = await this.folders.givenTo(reader.id);
    const origins = await this.folders.originsOf(feeds.map(({ groupFeedId }) => groupFeedId));
    const originOf = new Map(origins.map((origin) => [origin.groupFeedId, origin]));
    return feeds.flatMap((feed) => {
      const origin = originOf.get(feed.groupFeedId);
      return origin === undefined ? [] : [{ ...feed, ...origin }];
    });
  }

  /** @throws GroupNotFound, GroupFolderExists, LimitReached */
  async create(groupId: string, givenName: string): Promise<GroupFolder['id']> {
    const name = checkedName(givenName, MAX_NAME_CHARACTERS, InvalidFolderName);
    const created = await this.folders.inGroup(groupId, async (tx) => {
      const most = this.config.limits['folders-per-group'];
      const count = await this.folders.countFolders(groupId, most, tx);
      assertBelowLimit(this.config, 'folders-per-group', count);
      return GroupFolderExists.unless(await this.folders.create(groupId, name, tx), name);
    });
    const id = GroupNotFound.unless(created, groupId);
    await this.#record(groupId, `folder "${name}" created`);
    await this.memberships.soon();
    return id;
  }

  /** @throws GroupFolderNotFound, GroupFolderExists */
  async rename(editor: Editor, folderId: number, givenName: string): Promise<void> {
    const name = checkedName(givenName, MAX_NAME_CHARACTERS, InvalidFolderName);
    await this.change(editor, folderId, `renamed to "${name}"`, async (tx) => {
      GroupFolderExists.unless(await this.folders.rename(folderId, name, tx), name);
    });
  }

  /**
   * Replaces the editors of a folder.
   *
   * @throws GroupFolderNotFound, EditorsAreMembers, LimitReached
   */
  async setEditors(editor: Editor, folderId: number, userIds: readonly string[]): Promise<void> {
    const { groupId, name, editors } = await this.find(editor, folderId);
    const distinct = [...new Set(userIds)];
    assertBelowLimit(this.config, 'editors-per-group-folder', 0, distinct.length);
    const members = new Set(await this.folders.membersAmong(groupId, distinct));
    for (const userId of distinct) {
      EditorsAreMembers.unless(members.has(userId), userId);
    }
    const done = await this.folders.change(folderId, async (tx) => {
      await this.folders.setEditors(folderId, distinct, tx);
      return true;
    });
    GroupFolderNotFound.unless(done, folderId);
    for (const userId of distinct.filter((id) => !editors.includes(id))) {
      await this.#record(groupId, `edits the folder "${name}"`, userId);
    }
    for (const userId of editors.filter((id) => !distinct.includes(id))) {
      await this.#record(groupId, `no longer edits the folder "${name}"`, userId);
    }
  }

  /** Members lose it as if they had left. @throws GroupFolderNotFound */
  async remove(editor: Editor, folderId: number): Promise<void> {
    const { groupId, name } = await this.find(editor, folderId);
    await this.folders.remove(folderId);
    await this.#record(groupId, `folder "${name}" removed`);
    await this.memberships.soon();
  }

  /** @throws GroupFolderNotFound also for a folder that the caller may not change */
  async find(editor: Editor, folderId: number): Promise<GroupFolder> {
    const { userId } = editor.account;
    return GroupFolderNotFound.unless(
      await this.folders.find(folderId, userId, isAdministrator(editor)),
      folderId,
    );
  }

  /**
   * Runs a change of a folder that the caller may change, and records it.
   *
   * @param what for the audit log
   * @throws GroupFolderNotFound
   */
  async change<Result>(
    editor: Editor,
    folderId: number,
    what: string,
    work: (tx: SqlRunner) => Promise<Result>,
  ): Promise<Result> {
    const { groupId, name } = await this.find(editor, folderId);
    const done = await this.folders.change(folderId, async (tx) => ({ result: await work(tx) }));
    const { result } = GroupFolderNotFound.unless(done, folderId);
    await this.#record(groupId, `folder "${name}": ${what}`);
    await this.memberships.soon();
    return result;
  }

  async #record(groupId: string, details: string, userId?: string): Promise<void> {
    const subject = { kind: 'group', id: groupId } as const;
    await this.log.record({ kind: 'group_changed', subject, details, userId });
  }
}

export function isAdministrator({ account, credential }: Editor): boolean {
  return account.isAdmin && mayAdminister(credential);
}
