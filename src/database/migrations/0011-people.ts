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

      -- An account's identity at an identity provider. The key is the provider's subject, never a
      -- name, which the provider may reassign.
      create table oidc_identity (
        issuer text not null,
        subject text not null,
        user_id text not null references account (user_id) on delete cascade,
        created_at timestamptz not null default now(),
        primary key (issuer, subject)
      );
      create index oidc_identity_user_id_index on oidc_identity (user_id);

      -- The provider's id token of the login, sent back as id_token_hint at the logout.
      create table oidc_session (
        session_id bigint primary key references login_session (id) on delete cascade,
        sealed_id_token bytea not null
      );
    `);
  }
}
