import { Migration } from '@mikro-orm/migrations';

/** The gateway: external apps, their registrations and values, and task processing. */
export class Migration0104AppApi extends Migration {
  override name = '0104-app-api';

  override up(): void {
    this.addSql(`
      -- Places where external apps run, in the words of the commands app_api:daemon:*.
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
        -- Last begin of a scheduled connection check by any process.
        check_began_at timestamptz,
        init_timeout_minutes int not null default 40,
        -- Lock and description of a change of the app's state; void after busy_until.
        busy_token uuid,
        busy_with text,
        busy_until timestamptz,
        created_at timestamptz not null default now(),
        -- The secret before the last rotation, sealed like the present one.
        previous_secret_sealed bytea,
        previous_secret_until timestamptz,
        -- Whether the app has shown since then that it has the present one.
        secret_seen boolean not null default true,
        -- When the app last asked for tasks.
        tasks_asked_at timestamptz
      );

      -- Paths of an app that the browser proxy admits. The first in this order that matches path and
      -- verb decides.
      create table ex_app_route (
        app_id text references ex_app (app_id) on delete cascade,
        place int,
        url text not null,
        verb text not null,
        -- 0 everybody, 1 users, 2 administrators
        access_level smallint not null,
        headers_to_exclude text[] not null default '{}',
        bruteforce_statuses int[] not null default '{}',
        primary key (app_id, place)
      );

      -- Registrations of apps: menus, actions, commands, forms, providers, listeners, bots. The key is
      -- unique within app and kind.
      create table ex_app_registration (
        id bigint generated always as identity primary key,
        app_id text not null references ex_app (app_id) on delete cascade,
        kind text not null,
        key text not null,
        -- As json, not jsonb: apps read it back in the order and form in which they sent it.
        fields json not null,
        created_at timestamptz not null default now(),
        constraint ex_app_registration_app_id_kind_key_unique unique (app_id, kind, key)
      );
      create index ex_app_registration_kind_index on ex_app_registration (kind);
      create index ex_app_registration_news_event_index on ex_app_registration (app_id)
        where kind = 'events_listener' and key = 'news_event';

      -- Values that apps store: their own settings, and preferences of their users.
      create table ex_app_value (
        id bigint generated always as identity primary key,
        -- No foreign key: an operator may remove an app and keep its values for a later installation.
        app_id text not null,
        -- The user of a preference; empty for a setting of the app.
        user_id text not null,
        key text not null,
        -- One of the two, by the flag: plain, or sealed with the secret key.
        value text,
        value_sealed bytea,
        sensitive boolean not null default false,
        constraint ex_app_value_value_check
          check (((value is null) = sensitive) and ((value_sealed is null) = not sensitive)),
        constraint ex_app_value_app_id_user_id_key_unique unique (app_id, user_id, key)
      );
      create index ex_app_value_user_id_index on ex_app_value (user_id);

      -- The latest log lines of an app, and those of the host about it.
      create table ex_app_log_line (
        id bigint generated always as identity primary key,
        app_id text not null references ex_app (app_id) on delete cascade,
        logged_at timestamptz not null default clock_timestamp(),
        -- 0 debug, 1 info, 2 warning, 3 error, 4 fatal
        level smallint not null,
        -- app, host
        source text not null,
        message text not null
      );
      create index ex_app_log_line_app_id_id_index on ex_app_log_line (app_id, id);

      -- An administrator answers once for what apps may do.
      create table app_trust_answer (
        id int primary key default 1 check (id = 1),
        -- Null for the command line, and after the account was deleted.
        user_id text references account (user_id) on delete set null,
        answered_at timestamptz not null default now()
      );

      -- Users' consent to apps that act for them in the feed reader.
      create table app_consent (
        user_id text references account (user_id) on delete cascade,
        app_id text references ex_app (app_id) on delete cascade,
        -- asked | granted | refused
        state text not null check (state in ('asked', 'granted', 'refused')),
        -- When the app first asked; null if the user decided without being asked.
        asked_at timestamptz,
        decided_at timestamptz,
        -- Accurate to an hour.
        used_at timestamptz,
        constraint app_consent_decided_at_check check ((decided_at is null) = (state = 'asked')),
        primary key (user_id, app_id)
      );
      create index app_consent_app_id_index on app_consent (app_id);

      -- Work handed to a provider; the app reports the result with the id.
      create table ex_app_task (
        id bigint generated always as identity primary key,
        app_id text not null references ex_app (app_id) on delete cascade,
        -- translation, text_processing, speech_to_text
        kind text not null,
        provider_name text not null,
        user_id text,
        input jsonb not null,
        -- Returned to the requester; the provider does not see it.
        note jsonb not null default '{}',
        -- running, done, failed
        state text not null default 'running',
        result text,
        error text,
        created_at timestamptz not null default now(),
        deadline_at timestamptz not null,
        finished_at timestamptz,
        started_at timestamptz,
        -- Per cent, as the app reported it.
        progress smallint,
        -- The task of task processing that does the work of this one; null if the app is called.
        processing_task_id bigint
      );
      create index ex_app_task_app_id_index on ex_app_task (app_id);
      create index ex_app_task_finished_at_index on ex_app_task (finished_at);
      create index ex_app_task_unfinished_index on ex_app_task (deadline_at) where finished_at is null;
      create index ex_app_task_user_id_id_index on ex_app_task (user_id, id);

      -- A recording until its task is finished. In pieces, so that neither upload nor download holds all
      -- of it in memory.
      create table ex_app_task_piece (
        task_id bigint references ex_app_task (id) on delete cascade,
        place int,
        bytes bytea not null,
        primary key (task_id, place)
      );

      -- Task processing: tasks that external apps fetch. Reports of progress change no indexed column,
      -- and find room beside the row.
      create table processing_task (
        id bigint generated always as identity primary key,
        type text not null,
        -- uploading | scheduled | running | successful | failed | cancelled
        state text not null default 'scheduled'
          check (state in ('uploading', 'scheduled', 'running', 'successful', 'failed', 'cancelled')),
        -- Null for a task that an app scheduled for itself.
        user_id text,
        -- The appId that the consumer named.
        consumer text not null,
        custom_id text,
        -- json, not jsonb: texts may contain null characters.
        input json not null,
        output json,
        -- Ids in the slots of files of input and output.
        file_ids bigint[] not null default '{}',
        -- From 0 to 1.
        progress double precision,
        -- For administrators.
        error text,
        -- For the user.
        user_error text,
        include_watermark boolean not null default true,
        prefer_streaming boolean not null default false,
        -- {method, uri}: called when the task ends.
        webhook json,
        expected_seconds int not null default 0,
        -- The app and provider that claimed the task last.
        app_id text,
        provider_id text,
        attempts int not null default 0,
        -- A running task whose lease has ended is scheduled again.
        lease_seconds int,
        lease_until timestamptz,
        -- The order in which tasks of a type are claimed: the time of scheduling, later for users who
        -- have unfinished tasks of the type.
        place_at timestamptz not null default now(),
        -- When it fails unless it has ended.
        deadline_at timestamptz not null,
        changed_at timestamptz not null default now(),
        scheduled_at timestamptz not null default now(),
        started_at timestamptz,
        ended_at timestamptz
      ) with (fillfactor = 80);
      create index processing_task_scheduled_index on processing_task (type, place_at, id)
        where state = 'scheduled';
      create index processing_task_unfinished_index on processing_task (user_id, type)
        where state in ('uploading', 'scheduled', 'running');
      create index processing_task_running_index on processing_task (app_id)
        where state = 'running';
      create index processing_task_user_id_id_index on processing_task (user_id, id);
      create index processing_task_ended_at_index on processing_task (ended_at);

      -- Ids are above those of the files of users, so that one number names either.
      create table processing_task_file (
        id bigint generated always as identity (start with 1000000000000) primary key,
        task_id bigint not null references processing_task (id) on delete cascade,
        name text not null,
        mime text not null,
        -- Null until the upload is complete.
        size_bytes bigint
      );
      create index processing_task_file_task_id_index on processing_task_file (task_id);

      create table processing_task_file_piece (
        file_id bigint references processing_task_file (id) on delete cascade,
        place int,
        bytes bytea not null,
        primary key (file_id, place)
      );

      -- Decisions of administrators about task types; types without a row are enabled.
      create table task_type_setting (
        type text primary key,
        enabled boolean not null default true,
        -- The id of the preferred provider; null for the first one that was registered.
        provider_id text
      );

      -- Every process keeps in memory which tasks can be scheduled, and which types have scheduled ones.
      create function announce_scheduled_task() returns trigger language plpgsql as $$
      begin
        perform pg_notify('gatefold_tasks', new.type);
        return null;
      end $$;
      create function announce_task_catalogue() returns trigger language plpgsql as $$
      begin
        perform pg_notify('gatefold_task_catalogue', '');
        return null;
      end $$;
      create function announce_ended_task() returns trigger language plpgsql as $$
      begin
        perform pg_notify('gatefold_task_ended', new.id::text);
        return null;
      end $$;
      create trigger processing_task_scheduled after insert or update of state on processing_task
        for each row when (new.state = 'scheduled') execute function announce_scheduled_task();
      create trigger processing_task_ended after update of ended_at on processing_task
        for each row when (old.ended_at is null and new.ended_at is not null)
        execute function announce_ended_task();
      create trigger task_type_setting_changed
        after insert or update or delete on task_type_setting
        for each statement execute function announce_task_catalogue();
      create trigger task_provider_registered after insert or update on ex_app_registration
        for each row when (new.kind = 'task_processing') execute function announce_task_catalogue();
      create trigger task_provider_unregistered after delete on ex_app_registration
        for each row when (old.kind = 'task_processing') execute function announce_task_catalogue();
      create trigger ex_app_enabled after update of enabled on ex_app
        for each row when (new.enabled <> old.enabled) execute function announce_task_catalogue();

      -- Triggers, so that no task stays with an app that is gone, by whatever means. The attempt does not
      -- count, since it is not the app's fault.
      create function give_back_tasks(lost_app text, lost_provider text) returns void
        language sql as $$
        update processing_task
           set state = 'scheduled', app_id = null, lease_until = null, progress = null,
               output = null, changed_at = now(),
               attempts = case state when 'running' then greatest(attempts - 1, 0) else attempts end
         where app_id = lost_app and state in ('scheduled', 'running')
           and (lost_provider is null or provider_id = lost_provider)
      $$;
      create function give_back_tasks_of_app() returns trigger language plpgsql as $$
      begin
        perform give_back_tasks(new.app_id, null);
        return null;
      end $$;
      create function give_back_tasks_of_provider() returns trigger language plpgsql as $$
      begin
        perform give_back_tasks(old.app_id, old.key);
        return null;
      end $$;
      create trigger ex_app_disabled after update of enabled on ex_app
        for each row when (old.enabled and not new.enabled)
        execute function give_back_tasks_of_app();
      create trigger task_provider_removed after delete on ex_app_registration
        for each row when (old.kind = 'task_processing')
        execute function give_back_tasks_of_provider();
    `);
  }
}
