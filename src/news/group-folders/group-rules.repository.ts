import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';
import type { GroupRule } from '../reader/rules/given-rules.service.js';

/** Rules of groups' folders. Changes run inside of a change of their folder. */
@Injectable()
export class GroupRulesRepository {
  constructor(private readonly database: Database) {}

  /** In their order. */
  async list(folderId: number, runner: SqlRunner = this.database): Promise<GroupRule[]> {
    return runner.query<GroupRule>(
      'select id, name, query, actions from group_rule where folder_id = $1 order by place',
      [folderId],
    );
  }

  /** Creates or replaces a rule. */
  async save(
    folderId: number,
    { id, name, query, actions }: GroupRule,
    tx: SqlRunner,
  ): Promise<void> {
    await tx.query(
      `insert into group_rule (id, folder_id, name, query, actions) values ($2, $1, $3, $4, $5::jsonb)
       on conflict (id) do update
          set name = excluded.name, query = excluded.query, actions = excluded.actions`,
      [folderId, id, name, query, JSON.stringify(actions)],
    );
  }

  /** @returns whether the folder had such a rule */
  async remove(folderId: number, ruleId: number, tx: SqlRunner): Promise<boolean> {
    const rows = await tx.query(
      'delete from group_rule where folder_id = $1 and id = $2 returning 1',
      [folderId, ruleId],
    );
    return rows.length > 0;
  }
}
