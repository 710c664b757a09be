import { Migration } from '@mikro-orm/migrations';

/** Profile data of users. Owned by platform. */
export class Migration0011People extends Migration {
  override name = '0011-people';

  override up(): void {
    this.addSql(`
      alter table account add column email text;

      create table avatar (
        user_id text primary key references account (user_id) on delete cascade,
        media_type text not null,
        bytes bytea not null,
        -- SHA-256 of the bytes, in hexadecimal digits.
        digest text not null,
        changed_at timestamptz not null default now()
      );

      -- Who an account is for an identity provider. The provider's own id counts, never a name,
      -- which it may give to somebody else one day.
      create table oidc_identity (
        issuer text not null,
        subject text not null,
        user_id text not null references account (user_id) on delete cascade,
        created_at timestamptz not null default now(),
        primary key (issuer, subject)
      );
      create index oidc_identity_user_id_index on oidc_identity (user_id);

      -- What the provider said at the log-in, which it wants to see again at the log-out.
      create table oidc_session (
        session_id bigint primary key references login_session (id) on delete cascade,
        sealed_id_token bytea not null
      );
    `);
  }
}
