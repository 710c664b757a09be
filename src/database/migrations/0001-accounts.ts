import { Migration } from '@mikro-orm/migrations';

/** Accounts, app passwords and counters of failed logins. Owned by platform. */
export class Migration0001Accounts extends Migration {
  override name = '0001-accounts';

  override up(): void {
    this.addSql(`
      create table account (
        user_id text primary key,
        display_name text not null,
        password_hash text not null,
        is_admin boolean not null default false,
        disabled_at timestamptz,
        created_at timestamptz not null default now(),
        last_login_at timestamptz
      );

      create table app_password (
        id bigint generated always as identity primary key,
        user_id text not null,
        name text not null,
        token_hash bytea not null,
        created_at timestamptz not null default now(),
        last_used_at timestamptz,
        constraint app_password_token_hash_unique unique (token_hash),
        constraint app_password_user_id_foreign
          foreign key (user_id) references account (user_id) on delete cascade
      );
      create index app_password_user_id_index on app_password (user_id);

      create table login_throttle (
        -- 'pair:user@address', 'address:' or 'user:' and its name
        key text primary key,
        failures int not null,
        last_failure_at timestamptz,
        -- Pairs only: this user has logged in from this address, so the failures of others do not
        -- count against the two.
        trusted_until timestamptz
      );
    `);
  }
}
