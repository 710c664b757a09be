import { Migration } from '@mikro-orm/migrations';

/** Secrets of external apps can be rotated; an administrator answers once for what apps may do. */
export class Migration0039AppSecretsAndTrust extends Migration {
  override name = '0039-app-secrets-and-trust';

  override up(): void {
    this.addSql(`
      alter table ex_app
        -- The secret before the last rotation, sealed like the present one.
        add column previous_secret_sealed bytea,
        add column previous_secret_until timestamptz,
        -- Whether the app has shown since then that it has the present one.
        add column secret_seen boolean not null default true`);
    this.addSql(`
      create table app_trust_answer (
        id integer primary key default 1,
        -- Null for the command line, and after the account was deleted.
        user_id text references account (user_id) on delete set null,
        answered_at timestamptz not null default now(),
        constraint app_trust_answer_id_check check (id = 1)
      )`);
  }
}
