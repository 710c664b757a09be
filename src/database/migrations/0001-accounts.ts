import { Migration } from '@mikro-orm/migrations';

/** Accounts, their app passwords, and the memory of failed log-ins. Owned by platform/users. */
export class Migration0001Accounts extends Migration {
  override name = '0001-accounts';

  override up(): void {
    this.addSql(`
      create table account (
        user_id text primary key,
        display_name text not null,
        password_hash text not null,
        -- Rises with every change of the password or of the state, so that each process notices
        -- on the next request that a remembered log-in is no longer good.
        credential_version int not null default 1,
        is_admin boolean not null default false,
        disabled_at timestamptz,
        created_at timestamptz not null default now(),
        last_login_at timestamptz
      );

      create table app_password (
        id bigint generated always as identity primary key,
        user_id text not null references account (user_id) on delete cascade,
        name text not null,
        token_hash bytea not null,
        created_at timestamptz not null default now(),
        last_used_at timestamptz,
        constraint app_password_token_hash_unique unique (token_hash)
      );
      create index app_password_user_id_index on app_password (user_id);

      create table login_throttle (
        -- 'user:' or 'address:' and its name
        key text primary key,
        failures int not null,
        last_failure_at timestamptz not null,
        blocked_until timestamptz not null
      );
    `);
  }
}
