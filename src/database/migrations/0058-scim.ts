import { Migration } from '@mikro-orm/migrations';

/** What a provisioning service knows accounts and groups by. */
export class Migration0058Scim extends Migration {
  override name = '0058-scim';

  override up(): void {
    this.addSql(`
      create table scim_user (
        id uuid primary key default gen_random_uuid(),
        user_id text not null unique references account (user_id) on delete cascade,
        external_id text,
        given_name text,
        family_name text,
        created_at timestamptz not null default now(),
        changed_at timestamptz not null default now()
      );
      create index scim_user_external_id_index on scim_user (external_id);
      create table scim_group (
        id uuid primary key default gen_random_uuid(),
        group_id text collate "C" not null unique references account_group (group_id) on delete cascade,
        external_id text,
        created_at timestamptz not null default now(),
        changed_at timestamptz not null default now()
      );
      create index scim_group_external_id_index on scim_group (external_id);
    `);
  }
}
