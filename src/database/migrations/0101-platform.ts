import { Migration } from '@mikro-orm/migrations';

/** Accounts, sign-in, groups, preferences, the audit log and notifications. */
export class Migration0101Platform extends Migration {
  override name = '0101-platform';

  override up(): void {
    this.addSql(`
      create table account (
        user_id text primary key,
        display_name text not null,
        password_hash text not null,
        is_admin boolean not null default false,
        disabled_at timestamptz,
        created_at timestamptz not null default now(),
        last_login_at timestamptz,
        email text,
        -- Set when the account is to be deleted: its rows in other tables go in batches, this one last.
        deletion_requested_at timestamptz,
        -- Here, since nearly every request reads this row.
        has_second_factor boolean not null default false,
        -- Links for passwords are only sent to a confirmed address.
        email_confirmed boolean not null default true
      );
      create index account_deletion_requested_at_index on account (deletion_requested_at)
        where deletion_requested_at is not null;
      create index account_email_index on account (lower(email)) where email is not null;

      -- Failed logins.
      create table login_throttle (
        -- 'pair:user@address', 'address:' or 'user:' and its name
        key text primary key,
        failures int not null,
        last_failure_at timestamptz,
        -- Pairs only: this user has logged in from this address, so the failures of others do not
        -- count against the two.
        trusted_until timestamptz
      );

      create table app_password (
        id bigint generated always as identity primary key,
        user_id text not null
          constraint app_password_user_id_foreign references account (user_id) on delete cascade,
        name text not null,
        token_hash bytea not null constraint app_password_token_hash_unique unique,
        created_at timestamptz not null default now(),
        last_used_at timestamptz,
        -- Whether an administrator made it for administration.
        may_administer boolean not null default false,
        -- A lookup key: the program that logged in with the account password.
        program text,
        -- Its token, sealed with the secret key.
        sealed_token bytea,
        -- SHA-256 of the Fever key, which is the MD5 of "user:token" in hexadecimal.
        fever_key_hash bytea,
        -- APIs for which it is accepted.
        scope text not null default 'everything'
          check (scope in ('everything', 'reader', 'reader-read', 'files', 'files-read')),
        expires_at timestamptz,
        constraint app_password_sealed_token_check check ((program is null) = (sealed_token is null)),
        constraint app_password_administers_everything check (scope = 'everything' or not may_administer)
      );
      create index app_password_user_id_index on app_password (user_id);
      create unique index app_password_program_unique on app_password (user_id, program)
        where program is not null;
      create unique index app_password_fever_key_hash_unique on app_password (fever_key_hash)
        where fever_key_hash is not null;
      create index app_password_expires_at on app_password (expires_at)
        where expires_at is not null;

      create table login_session (
        id bigint generated always as identity primary key,
        user_id text not null references account (user_id) on delete cascade,
        -- SHA-256 of the cookie's value, which itself is never stored.
        token_hash bytea not null constraint login_session_token_hash_unique unique,
        -- How the user proved who they are: 'password', 'oidc' or 'header'.
        provider text not null,
        user_agent text not null,
        address text not null,
        created_at timestamptz not null,
        -- Written at most once a minute.
        last_seen_at timestamptz not null,
        expires_at timestamptz not null,
        -- When the user last proved who they are since the login; null: not since then.
        proven_at timestamptz
      );
      create index login_session_user_id_index on login_session (user_id);

      create table login_flow (
        id bigint generated always as identity primary key,
        -- For the program that polls.
        poll_token_hash bytea not null constraint login_flow_poll_token_hash_unique unique,
        -- For the browser in which the user decides.
        login_token_hash bytea not null constraint login_flow_login_token_hash_unique unique,
        client_name text not null,
        -- Network of the program; the number of flows of a network is limited.
        network text not null,
        expires_at timestamptz not null,
        -- This and the following are set by the user's consent; the program's poll removes the row.
        user_id text references account (user_id) on delete cascade,
        app_password_id bigint references app_password (id) on delete cascade,
        sealed_app_password bytea
      );
      create index login_flow_expires_at_index on login_flow (expires_at);
      create index login_flow_network_index on login_flow (network);
      create index login_flow_user_id_index on login_flow (user_id);
      create index login_flow_app_password_id_index on login_flow (app_password_id);

      -- Links of mails with which users set their password.
      create table password_link (
        user_id text references account (user_id) on delete cascade,
        purpose text check (purpose in ('invitation', 'reset')),
        token_hash bytea not null unique,
        -- A hash of the account's state; another one now makes the link void.
        account_state bytea not null,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        sent_at timestamptz,
        primary key (user_id, purpose)
      );
      create index password_link_expires_at_index on password_link (expires_at);

      -- Authenticator apps.
      create table totp_factor (
        user_id text primary key references account (user_id) on delete cascade,
        sealed_secret bytea not null,
        -- Null until the first code was entered.
        confirmed_at timestamptz,
        -- Time step of the latest accepted code: a code is accepted once.
        last_step bigint not null default 0
      );

      create table recovery_code (
        user_id text references account (user_id) on delete cascade,
        -- SHA-256; the row is removed when the code is used.
        code_hash bytea,
        primary key (user_id, code_hash)
      );

      -- WebAuthn.
      create table passkey (
        id bigint generated always as identity primary key,
        user_id text not null references account (user_id) on delete cascade,
        -- Chosen by the authenticator.
        credential_id bytea not null check (length(credential_id) <= 1023) unique,
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
      );
      create index passkey_user on passkey (user_id);

      -- Use of allowances with a period by users and apps, in all processes.
      create table used_allowance (
        owner text collate "C",
        kind text collate "C",
        ends_at timestamptz not null,
        used int not null,
        granted int not null,
        primary key (owner, kind)
      );

      -- Wrong credentials of external apps, by network.
      create table gateway_failure (
        network text not null,
        failed_at timestamptz not null,
        -- Hash of the claimed app: strangers may claim anything.
        claim_hash text not null default ''
      );
      create index gateway_failure_network_failed_at_index on gateway_failure (network, failed_at);

      -- An account's identity at an identity provider. The key is the provider's subject, never a
      -- name, which the provider may reassign.
      create table oidc_identity (
        issuer text,
        subject text,
        user_id text not null references account (user_id) on delete cascade,
        created_at timestamptz not null default now(),
        told_name text,
        told_email text,
        primary key (issuer, subject)
      );
      create index oidc_identity_user_id_index on oidc_identity (user_id);

      -- The provider's id token of the login, sent back as id_token_hint at the logout.
      create table oidc_session (
        session_id bigint primary key references login_session (id) on delete cascade,
        sealed_id_token bytea not null,
        issuer text,
        sid text
      );
      create index oidc_session_issuer_sid_index on oidc_session (issuer, sid);

      -- Accounts whose passwords a directory verifies.
      create table ldap_account (
        user_id text primary key references account (user_id) on delete cascade,
        entry_id text not null unique,
        told_name text,
        told_email text,
        disabled_at timestamptz,
        created_at timestamptz not null default now()
      );

      -- Names by which a provisioning service knows accounts and groups.
      create table scim_user (
        id uuid primary key default gen_random_uuid(),
        user_id text not null unique references account (user_id) on delete cascade,
        external_id text,
        given_name text,
        family_name text,
        created_at timestamptz not null default now(),
        changed_at timestamptz not null default now()
      );
      create index scim_user_external_id_index on scim_user (external_id);

      -- Without the group of administrators, which is a column of the account.
      create table account_group (
        group_id text collate "C" primary key,
        display_name text not null,
        -- The directory that it follows; null for groups made here.
        managed_by text check (managed_by in ('oidc', 'ldap', 'scim'))
      );

      create table scim_group (
        id uuid primary key default gen_random_uuid(),
        group_id text collate "C" not null unique
          references account_group (group_id) on delete cascade,
        external_id text,
        created_at timestamptz not null default now(),
        changed_at timestamptz not null default now()
      );
      create index scim_group_external_id_index on scim_group (external_id);

      create table account_group_member (
        group_id text collate "C" references account_group (group_id) on delete cascade,
        user_id text references account (user_id) on delete cascade,
        -- The directory that it follows; null for memberships made here.
        managed_by text check (managed_by in ('oidc', 'ldap', 'scim')),
        primary key (group_id, user_id)
      );
      create index account_group_member_user_id_index on account_group_member (user_id);

      create table avatar (
        user_id text primary key references account (user_id) on delete cascade,
        media_type text not null,
        bytes bytea not null,
        -- SHA-256 of the bytes, in hexadecimal digits.
        digest text not null,
        changed_at timestamptz not null default now()
      );

      create table user_preference (
        user_id text references account (user_id) on delete cascade,
        -- A group of fields with a schema of its own, for instance 'reader'.
        area text,
        -- Fields that differ from their default, by name.
        chosen jsonb not null default '{}',
        -- Counts the changes.
        version int not null default 0,
        primary key (user_id, area)
      );

      -- The audit log. Entries outlive their accounts, whose names may be given to others.
      create table security_event (
        id bigint generated always as identity primary key,
        happened_at timestamptz not null,
        kind text not null,
        -- No foreign key: the deletion of a user stays readable.
        user_id text,
        address text,
        details text,
        actor_id text,
        credential text,
        subject_kind text,
        subject_id text,
        user_deleted_at timestamptz,
        actor_deleted_at timestamptz
      );
      create index security_event_happened_at_index on security_event (happened_at);
      create index security_event_user_id_index on security_event (user_id);
      create index security_event_kind_index on security_event (kind, id);
      create index security_event_user_id_begins_index
        on security_event (lower(user_id) text_pattern_ops, id);
      create index security_event_address_begins_index
        on security_event (lower(address) text_pattern_ops, id);
      create index security_event_actor_id_index on security_event (actor_id);
      create index security_event_actor_id_begins_index
        on security_event (lower(actor_id) text_pattern_ops, id);
      create index security_event_subject_id_begins_index
        on security_event (lower(subject_id) text_pattern_ops, id);

      create table notification (
        id bigint generated always as identity primary key,
        user_id text not null references account (user_id) on delete cascade,
        -- The sender; no foreign key, since the host sends some too.
        app_id text not null,
        object_type text not null,
        object_id text not null,
        -- {text, parameters}. As json, not jsonb: parameters are read back as they were sent.
        subject json not null,
        message json not null,
        link text not null,
        created_at timestamptz not null default now()
      );
      create index notification_user_id_id_index on notification (user_id, id);
      create index notification_app_id_index on notification (app_id);
      -- This and the next one: for the removal of old ones, and of too many of one sender.
      create index notification_created_at_index on notification (created_at);
      create index notification_user_id_app_id_id_index on notification (user_id, app_id, id);

      create table secret_key (
        is_only boolean primary key default true check (is_only),
        -- Distinguishes keys without revealing them.
        fingerprint text not null,
        accepted_at timestamptz not null default now()
      );

      -- Addresses on which processes of the service listen, for commands without one in their environment.
      create table service_address (
        address text primary key,
        announced_at timestamptz not null default now()
      );

      -- Announced, so that recently verified credentials can be remembered. Triggers include changes by
      -- hand.
      create function announce_credentials() returns trigger language plpgsql as $$
      begin
        perform pg_notify('gatefold_credentials', old.user_id);
        return null;
      end $$;
      create trigger account_credentials_changed
        after delete or update of display_name, email, password_hash, is_admin, disabled_at,
          has_second_factor
        on account for each row execute function announce_credentials();
      create trigger app_password_changed
        after delete or update of token_hash, may_administer
        on app_password for each row execute function announce_credentials();
    `);
  }
}
