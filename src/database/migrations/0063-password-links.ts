import { Migration } from '@mikro-orm/migrations';

/** Links of mails with which users set their password. */
export class Migration0063PasswordLinks extends Migration {
  override name = '0063-password-links';

  override up(): void {
    this.addSql(`
      create table password_link (
        user_id text not null references account (user_id) on delete cascade,
        purpose text not null
          constraint password_link_purpose_check check (purpose in ('invitation', 'reset')),
        token_hash bytea not null unique,
        account_state bytea not null,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        sent_at timestamptz,
        primary key (user_id, purpose)
      );
      create index password_link_expires_at_index on password_link (expires_at);
      create index account_email_index on account (lower(email)) where email is not null;
    `);
  }
}
