import { Migration } from '@mikro-orm/migrations';

/** Accounts whose passwords a directory verifies. */
export class Migration0064Ldap extends Migration {
  override name = '0064-ldap';

  override up(): void {
    this.addSql(`
      create table ldap_account (
        user_id text primary key references account (user_id) on delete cascade,
        entry_id text not null unique,
        told_name text,
        told_email text,
        disabled_at timestamptz,
        created_at timestamptz not null default now()
      );
    `);
  }
}
