import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';

export interface StoredGroup {
  readonly groupId: string;
  readonly displayName: string;
  readonly members: number;
  /** Members who cannot log in. */
  readonly disabledMembers: number;
}

/** Who is in it in spite of having no row here: the rights are a column of the account. */
export const ADMIN_GROUP = 'admin';

/** Every group and who is in it, that of the administrators included. */
const MEMBERSHIP = `
  membership as (
    select m.group_id, a.user_id, a.disabled_at
      from account_group_member m join account a on a.user_id = m.user_id
    union all
    select '${ADMIN_GROUP}', a.user_id, a.disabled_at from account a where a.is_admin
  ),
  every_group as (
    select group_id, display_name from account_group
    union all
    select '${ADMIN_GROUP}', '${ADMIN_GROUP}'
  )`;

/** Groups of accounts. */
@Injectable()
export class GroupsRepository {
  constructor(private readonly database: Database) {}

  /**
   * By id, those whose id or name holds the text.
   *
   * @param limit null for all
   */
  async search(text: string, limit: number | null, offset: number): Promise<StoredGroup[]> {
    return this.database.query<StoredGroup>(
      `with ${MEMBERSHIP}
       select g.group_id as "groupId", g.display_name as "displayName",
              count(m.user_id) as members, count(m.disabled_at) as "disabledMembers"
         from every_group g left join membership m on m.group_id = g.group_id
        where strpos(lower(g.group_id), lower($1)) > 0
           or strpos(lower(g.display_name), lower($1)) > 0
        group by g.group_id, g.display_name order by g.group_id limit $2 offset $3`,
      [text, limit, offset],
    );
  }

  /** @returns the name, or null when there is no such group */
  async nameOf(groupId: string): Promise<string | null> {
    const [row] = await this.database.query<{ name: string }>(
      `with ${MEMBERSHIP} select display_name as name from every_group where group_id = $1`,
      [groupId],
    );
    return row?.name ?? null;
  }

  /** By user id; disabled ones too. */
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

  /** By user id, those who can log in. */
  async activeMemberIds(groupId: string): Promise<string[]> {
    const rows = await this.database.query<{ userId: string }>(
      `with ${MEMBERSHIP}
       select user_id as "userId" from membership
        where group_id = $1 and disabled_at is null order by user_id collate "C"`,
      [groupId],
    );
    return rows.map(({ userId }) => userId);
  }

  /** By user id; users without groups have no entry. */
  async groupsOf(userIds: readonly string[]): Promise<Map<string, string[]>> {
    const rows = await this.database.query<{ userId: string; groupIds: string[] }>(
      `with ${MEMBERSHIP}
       select user_id as "userId", array_agg(group_id order by group_id) as "groupIds"
         from membership where user_id = any($1) group by user_id`,
      [userIds],
    );
    return new Map(rows.map(({ userId, groupIds }) => [userId, groupIds]));
  }

  /** @returns false when there is one of that id */
  async add(groupId: string, displayName: string): Promise<boolean> {
    const rows = await this.database.query(
      `insert into account_group (group_id, display_name) values ($1, $2)
       on conflict do nothing returning 1`,
      [groupId, displayName],
    );
    return rows.length > 0;
  }

  /** @returns false when there is no such group */
  async rename(groupId: string, displayName: string): Promise<boolean> {
    const rows = await this.database.query(
      'update account_group set display_name = $2 where group_id = $1 returning 1',
      [groupId, displayName],
    );
    return rows.length > 0;
  }

  /** @returns false when there is no such group */
  async remove(groupId: string): Promise<boolean> {
    const rows = await this.database.query(
      'delete from account_group where group_id = $1 returning 1',
      [groupId],
    );
    return rows.length > 0;
  }

  /** Of a group and a user that are there. */
  async enter(groupId: string, userId: string): Promise<void> {
    await this.database.query(
      `insert into account_group_member (group_id, user_id) values ($1, $2) on conflict do nothing`,
      [groupId, userId],
    );
  }

  async leave(groupId: string, userId: string): Promise<void> {
    await this.database.query(
      'delete from account_group_member where group_id = $1 and user_id = $2',
      [groupId, userId],
    );
  }
}
