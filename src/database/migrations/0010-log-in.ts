import { Migration } from '@mikro-orm/migrations';

/** Sessions, login flows and security events. */
export class Migration0010Login extends Migration {
  override name = '0010-log-in';

  override up(): void {
    this.addSql(`
      create table login_session (
        id bigint generated always as identity primary key,
        user_id text not null references account (user_id) on delete cascade,
        -- SHA-256 of the cookie's value, which itself is never stored.
        token_hash bytea not null,
        -- How the user proved who they are: 'password', 'oidc' or 'header'.
        provider text not null,
        user_agent text not null,
        address text not null,
        created_at timestamptz not null,
        -- Written at most once a minute.
        last_seen_at timestamptz not null,
        expires_at timestamptz not null,
        constraint login_session_token_hash_unique unique (token_hash)
      );
      create index login_session_user_id_index on login_session (user_id);

      create table login_flow (
        id bigint generated always as identity primary key,
        -- For the program that polls.
        poll_token_hash bytea not null,
        -- For the browser in which the user decides.
        login_token_hash bytea not null,
        client_name text not null,
        -- Where the program asked from; what one network may have under way is limited.
        network text not null,
        expires_at timestamptz not null,
        -- From here on set once the user has agreed; the row goes when the program fetched it.
        user_id text references account (user_id) on delete cascade,
        app_password_id bigint references app_password (id) on delete cascade,
        sealed_app_password bytea,
        constraint login_flow_poll_token_hash_unique unique (poll_token_hash),
        constraint login_flow_login_token_hash_unique unique (login_token_hash)
      );
      create index login_flow_expires_at_index on login_flow (expires_at);
      create index login_flow_network_index on login_flow (network);
      create index login_flow_user_id_index on login_flow (user_id);
      create index login_flow_app_password_id_index on login_flow (app_password_id);

      create table security_event (
        id bigint generated always as identity primary key,
        happened_at timestamptz not null,
        kind text not null,
        -- Not bound to the account: that a user was deleted is to be read afterwards.
        user_id text,
        address text,
        details text
      );
      create index security_event_happened_at_index on security_event (happened_at);
      create index security_event_user_id_index on security_event (user_id);
    `);
  }
}
