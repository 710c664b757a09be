import { Migration } from '@mikro-orm/migrations';

/**
 * Second factors of logins: authenticator apps and recovery codes. When the user of a session last
 * proved who they are.
 */
export class Migration0060SecondFactors extends Migration {
  override name = '0060-second-factors';

  override up(): void {
    // In the account, since nearly every request reads that row.
    this.addSql(`alter table account add column has_second_factor boolean not null default false`);
    this.addSql(`
      create or replace trigger account_credentials_changed
        after delete
          or update of display_name, email, password_hash, is_admin, disabled_at, has_second_factor
        on account for each row execute function announce_credentials()`);
    this.addSql(`
      create table totp_factor (
        user_id text primary key references account (user_id) on delete cascade,
        sealed_secret bytea not null,
        -- Null until the first code was entered.
        confirmed_at timestamptz,
        -- Of the latest code that was accepted: codes are accepted once.
        last_step bigint not null default 0
      )`);
    // Null: not since the login.
    this.addSql('alter table login_session add column proven_at timestamptz');
    this.addSql(`
      create table recovery_code (
        user_id text not null references account (user_id) on delete cascade,
        -- SHA-256; the row is removed when the code is used.
        code_hash bytea not null,
        primary key (user_id, code_hash)
      )`);
  }
}
