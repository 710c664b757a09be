import { Migration } from '@mikro-orm/migrations';

/** The gateway: external apps, their registrations and stored values. */
export class Migration0006AppApi extends Migration {
  override name = '0006-app-api';

  override up(): void {
    this.addSql(`
      -- Where external apps of an operator run; the words are those of app_api:daemon:* commands.
      create table app_daemon (
        name text primary key,
        display_name text not null,
        accepts_deploy_id text not null,
        protocol text not null,
        host text not null,
        deploy_config jsonb not null default '{}',
        is_default boolean not null default false
      );

      create table ex_app (
        app_id text primary key,
        name text not null,
        version text not null,
        daemon_name text references app_daemon (name),
        -- Root of the app's own routes, without a slash at the end.
        base_url text not null,
        secret_sealed bytea not null,
        enabled boolean not null default false,
        -- {deploy, init: 0..100, action, type, error, …} as operators know it
        status jsonb not null default '{}',
        is_system boolean not null default false,
        last_check_at timestamptz,
        -- When a scheduled connection check was last begun, by whichever process.
        check_began_at timestamptz,
        init_timeout_minutes int not null default 40,
        -- Who is changing the app's state, and with what; void once the time is over.
        busy_token uuid,
        busy_with text,
        busy_until timestamptz,
        created_at timestamptz not null default now()
      );

      -- Wrong credentials of external apps, by the address they came from.
      create table gateway_failure (
        network text not null,
        failed_at timestamptz not null
      );
      create index gateway_failure_network_failed_at_index on gateway_failure (network, failed_at);

      -- Which paths of an app the browser proxy lets through. In this order; the first that matches
      -- path and verb decides.
      create table ex_app_route (
        app_id text not null references ex_app (app_id) on delete cascade,
        place int not null,
        url text not null,
        verb text not null,
        -- 0 everybody, 1 users, 2 administrators
        access_level smallint not null,
        headers_to_exclude text[] not null default '{}',
        bruteforce_statuses int[] not null default '{}',
        constraint ex_app_route_pkey primary key (app_id, place)
      );

      -- Everything an app announces of itself: menus, actions, commands, forms, providers, listeners,
      -- bots. One row a registration; the key is what makes it unique within its kind.
      create table ex_app_registration (
        id bigint generated always as identity primary key,
        app_id text not null references ex_app (app_id) on delete cascade,
        kind text not null,
        key text not null,
        -- As json, not jsonb: apps read their words back in the order and form they sent them.
        fields json not null,
        created_at timestamptz not null default now(),
        constraint ex_app_registration_app_id_kind_key_unique unique (app_id, kind, key)
      );
      create index ex_app_registration_kind_index on ex_app_registration (kind);

      -- What an app keeps with the gateway: settings of its own, and its users' preferences.
      create table ex_app_value (
        id bigint generated always as identity primary key,
        -- Not bound to ex_app: an operator may remove an app and keep its values for the next time.
        app_id text not null,
        -- Whose preference it is; empty for a setting of the app as a whole.
        user_id text not null,
        key text not null,
        -- One of the two, by the flag: plain, or sealed with the installation's key.
        value text,
        value_sealed bytea,
        sensitive boolean not null default false,
        constraint ex_app_value_app_id_user_id_key_unique unique (app_id, user_id, key),
        constraint ex_app_value_value_check check ((value is null) = sensitive and (value_sealed is null) = (not sensitive))
      );
      create index ex_app_value_user_id_index on ex_app_value (user_id);

      -- Work handed to a provider; the id is what the app reports the result for.
      create table ex_app_task (
        id bigint generated always as identity primary key,
        app_id text not null references ex_app (app_id) on delete cascade,
        -- translation, text_processing, speech_to_text
        kind text not null,
        provider_name text not null,
        user_id text,
        input jsonb not null,
        -- What whoever asked for it wants to be told again; the provider does not see it.
        note jsonb not null default '{}',
        -- A recording, until the task is finished.
        file bytea,
        -- running, done, failed
        state text not null default 'running',
        result text,
        error text,
        created_at timestamptz not null default now(),
        deadline_at timestamptz not null,
        finished_at timestamptz
      );
      create index ex_app_task_app_id_index on ex_app_task (app_id);
      create index ex_app_task_user_id_index on ex_app_task (user_id);
      create index ex_app_task_running_index on ex_app_task (deadline_at) where state = 'running';
      create index ex_app_task_finished_at_index on ex_app_task (finished_at);
    `);
  }
}
