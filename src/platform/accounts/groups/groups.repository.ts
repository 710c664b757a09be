import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { ADMIN_GROUP } from '../users/account-rights.js';
import { AccountGroupMemberEntity, type GroupManager } from '../users/account.entity.js';
import { lockAccount } from '../users/accounts.sql.js';
import { AccountGroupEntity } from './groups.entities.js';

/** All groups and memberships, the administrators' group included. */
const MEMBERSHIP = `
  membership as (
    select m.group_id, a.user_id, a.disabled_at
      from account_group_member m join account a on a.user_id = m.user_id
    union all
    select '${ADMIN_GROUP}', a.user_id, a.disabled_at from account a where a.is_admin
  ),
  every_group as (
    select group_id, display_name, managed_by from account_group
    union all
    select '${ADMIN_GROUP}', '${ADMIN_GROUP}', null
  )`;

const GROUP = selectList(AccountGroupEntity, 'g', ['groupId', 'displayName', 'managedBy']);

/** A group with the numbers of its members, and of all groups that were searched for. */
export type GroupRow = RowOf<typeof GROUP> & {
  readonly members: number;
  readonly disabledMembers: number;
  readonly total: number;
};

/** Changes by synchronising the groups of a user. */
interface GroupChanges {
  readonly created: readonly string[];
  readonly joined: readonly string[];
  readonly left: readonly string[];
  /** Requested groups that this manager does not manage; they are unchanged. */
  readonly foreign: readonly string[];
}

/** Groups of accounts, the administrators' group included. */
@Injectable()
export class GroupsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Groups whose id or name contains the text, an equal id first, then by id. Reads both tables.
   *
   * @param limit null for all
   */
  async search(text: string, limit: number | null, offset: number): Promise<GroupRow[]> {
    return this.database.query<GroupRow>(
      `with ${MEMBERSHIP}
       select ${GROUP}, count(m.user_id) as members, count(m.disabled_at) as "disabledMembers",
              count(*) over () as total
         from every_group g left join membership m on m.group_id = g.group_id
        where strpos(lower(g.group_id), lower($1)) > 0
           or strpos(lower(g.display_name), lower($1)) > 0
        group by g.group_id, g.display_name, g.managed_by
        order by g.group_id <> $1, g.group_id limit $2 offset $3`,
      [text, limit, offset],
    );
  }

  /** @returns the display name; null for an unknown group */
  async nameOf(groupId: string): Promise<string | null> {
    if (groupId === ADMIN_GROUP) {
      return ADMIN_GROUP;
    }
    // Not by the entity manager: it lists the keys of each value of a condition, of a text its characters.
    const [group] = await this.database.query<Pick<AccountGroupEntity, 'displayName'>>(
      'select display_name as "displayName" from account_group where group_id = $1',
      [groupId],
    );
    return group?.displayName ?? null;
  }

  /** Members by id, including disabled users, whose id contains the text. @param limit null for all */
  async memberIds(
    groupId: string,
    text: string,
    limit: number | null,
    offset: number,
  ): Promise<string[]> {
    const rows = await this.database.query<{ userId: string }>(
      `with ${MEMBERSHIP}
       select user_id as "userId" from membership
        where group_id = $1 and strpos(lower(user_id), lower($2)) > 0
        order by user_id collate "C" limit $3 offset $4`,
      [groupId, text, limit, offset],
    );
    return rows.map(({ userId }) => userId);
  }

  /** Sorted by user id, without disabled users. */
  async activeMemberIds(groupId: string): Promise<string[]> {
    const rows = await this.database.query<{ userId: string }>(
      `with ${MEMBERSHIP}
       select user_id as "userId" from membership
        where group_id = $1 and disabled_at is null order by user_id collate "C"`,
      [groupId],
    );
    return rows.map(({ userId }) => userId);
  }

  /** Group ids by user id; users without groups have no entry. */
  async groupsOf(userIds: readonly string[]): Promise<Map<string, string[]>> {
    const rows = await this.database.query<{ userId: string; groupIds: string[] }>(
      `with ${MEMBERSHIP}
       select user_id as "userId", array_agg(group_id order by group_id) as "groupIds"
         from membership where user_id = any($1) group by user_id`,
      [userIds],
    );
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
      em.upsert(AccountGroupMemberEntity, { groupId, userId }, { onConflictAction: 'ignore' }),
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
      const idsOf = async (sql: string, params: readonly unknown[]) =>
        (await tx.query<{ id: string }>(sql, params)).map(({ id }) => id);
      const created = await idsOf(
        `insert into account_group (group_id, display_name, managed_by)
         select id, id, $1 from unnest($2::text[]) id order by id
         on conflict do nothing returning group_id as id`,
        [manager, groupIds],
      );
      const foreign = await idsOf(
        `select group_id as id from account_group
          where group_id = any($2) and managed_by is distinct from $1 order by group_id`,
        [manager, groupIds],
      );
      // Memberships that this manager began.
      const left = await idsOf(
        `delete from account_group_member
          where user_id = $2 and managed_by = $1 and group_id <> all($3) returning group_id as id`,
        [manager, userId, groupIds],
      );
      // An existing membership is unchanged.
      const joined = await idsOf(
        `insert into account_group_member (group_id, user_id, managed_by)
         select group_id, $2, $1 from account_group
          where group_id = any($3) and managed_by = $1 order by group_id
         on conflict do nothing returning group_id as id`,
        [manager, userId, groupIds],
      );
      return { created, foreign, left: left.toSorted(), joined };
    });
  }

  async removeMember(groupId: string, userId: string): Promise<void> {
    await this.database.entities((em) =>
      em.nativeDelete(AccountGroupMemberEntity, { groupId, userId }),
    );
  }
}
