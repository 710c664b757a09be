import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { ADMIN_GROUP } from './admin-group.js';
import { Database } from '../../../database/database.js';
import { lockAccount } from '../users/accounts.sql.js';
import { AccountGroupMemberEntity } from './account-group-member.entity.js';
import { AccountGroupEntity } from './account-group.entity.js';
import type { GroupManager } from './group-manager.js';
import {
  createManagedGroups,
  joinManagedGroups,
  leaveManagedGroups,
  listForeignGroups,
  type GroupChanges,
} from './managed-groups.sql.js';
import {
  listActiveMembers,
  listGroupsOf,
  listMembers,
  searchGroups,
  type GroupRow,
} from './groups.sql.js';

export type { GroupChanges, GroupRow };

/** Groups of accounts, the administrators' group included. */
@Injectable()
export class GroupsRepository {
  constructor(private readonly database: Database) {}

  /** By id: groups whose id or name contains the text. @param limit null for all */
  async search(text: string, limit: number | null, offset: number): Promise<GroupRow[]> {
    return searchGroups(this.database, text, limit, offset);
  }

  /** @returns the display name; null for an unknown group */
  async nameOf(groupId: string): Promise<string | null> {
    if (groupId === ADMIN_GROUP) {
      return ADMIN_GROUP;
    }
    const group = await this.database.entities((em) =>
      em.findOne(AccountGroupEntity, { groupId }, { disableIdentityMap: true }),
    );
    return group?.displayName ?? null;
  }

  /** By user id, disabled users included. @param limit null for all */
  async memberIds(
    groupId: string,
    text: string,
    limit: number | null,
    offset: number,
  ): Promise<string[]> {
    return listMembers(this.database, groupId, text, limit, offset);
  }

  /** By user id, without disabled users. */
  async activeMemberIds(groupId: string): Promise<string[]> {
    return listActiveMembers(this.database, groupId);
  }

  /** Group ids by user id; users without groups have no entry. */
  async groupsOf(userIds: readonly string[]): Promise<Map<string, string[]>> {
    const rows = await listGroupsOf(this.database, userIds);
    return new Map(rows.map(({ userId, groupIds }) => [userId, groupIds]));
  }

  /** @returns false when the id is taken */
  async add(groupId: string, displayName: string): Promise<boolean> {
    try {
      await this.database.entities((em) => em.insert(AccountGroupEntity, { groupId, displayName }));
      return true;
    } catch (error) {
      if (error instanceof UniqueConstraintViolationException) {
        return false;
      }
      throw error;
    }
  }

  /** @returns false for an unknown group */
  async rename(groupId: string, displayName: string): Promise<boolean> {
    const renamed = await this.database.entities((em) =>
      em.nativeUpdate(AccountGroupEntity, { groupId }, { displayName }),
    );
    return renamed > 0;
  }

  /** @returns false for an unknown group */
  async remove(groupId: string): Promise<boolean> {
    const removed = await this.database.entities((em) =>
      em.nativeDelete(AccountGroupEntity, { groupId }),
    );
    return removed > 0;
  }

  /** Group and user must exist. */
  async addMember(groupId: string, userId: string): Promise<void> {
    await this.database.entities((em) =>
      em.upsert(
        AccountGroupMemberEntity,
        { groupId, userId },
        { onConflictAction: 'ignore', disableIdentityMap: true },
      ),
    );
  }

  /** Makes the user a member of exactly these of the manager's groups, and creates missing ones. */
  async follow(
    manager: GroupManager,
    userId: string,
    groupIds: readonly string[],
  ): Promise<GroupChanges> {
    return this.database.transaction(async (tx) => {
      // Concurrent logins of the user run one after the other.
      await lockAccount(tx, userId);
      return {
        created: await createManagedGroups(tx, manager, groupIds),
        foreign: await listForeignGroups(tx, manager, groupIds),
        left: await leaveManagedGroups(tx, manager, userId, groupIds),
        joined: await joinManagedGroups(tx, manager, userId, groupIds),
      };
    });
  }

  async removeMember(groupId: string, userId: string): Promise<void> {
    await this.database.entities((em) =>
      em.nativeDelete(AccountGroupMemberEntity, { groupId, userId }),
    );
  }
}
