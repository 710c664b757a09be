import { Migration } from '@mikro-orm/migrations';

/** Passkeys of users (WebAuthn). */
export class Migration0068Passkeys extends Migration {
  override name = '0068-passkeys';

  override up(): void {
    this.addSql(`
      create table passkey (
        id bigint generated always as identity primary key,
        user_id text not null references account (user_id) on delete cascade,
        -- Chosen by the authenticator.
        credential_id bytea not null unique check (length(credential_id) <= 1023),
        -- In COSE form.
        public_key bytea not null,
        -- Host name for which the authenticator made it.
        rp_id text not null,
        transports text[] not null,
        name text not null,
        -- Always 0 for authenticators that do not count.
        signature_count bigint not null,
        -- When the challenge of the latest accepted answer was made, in Unix milliseconds: this and
        -- older challenges are of no use any more.
        last_challenge_ms bigint not null default 0,
        created_at timestamptz not null,
        last_used_at timestamptz
      )`);
    this.addSql('create index passkey_user on passkey (user_id)');
  }
}
