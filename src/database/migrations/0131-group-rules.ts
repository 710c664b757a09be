import { RollingMigration } from './kinds.js';

/** Rules of groups' folders; members have each as a rule of their own that they cannot change. */
export class Migration0131GroupRules extends RollingMigration {
  override name = '0131-group-rules';
  readonly locks = { group_folder: 'share row exclusive', rule: 'access exclusive' };

  override up(): void {
    this.addSql(`
      create table group_rule (
        id bigint primary key,
        folder_id bigint not null references group_folder (id) on delete cascade,
        place bigint generated always as identity,
        name text not null,
        query text not null,
        actions jsonb not null
      );
      create index group_rule_folder_id_index on group_rule (folder_id);
      alter table rule add column group_folder_id bigint, add column group_name text;
    `);
  }
}
