import { Migration } from '@mikro-orm/migrations';

/** Task processing: tasks that external apps fetch, their files, and the settings of task types. */
export class Migration0035TaskProcessing extends Migration {
  override name = '0035-task-processing';

  override up(): void {
    this.addSql(`
      create table processing_task (
        id bigint generated always as identity primary key,
        type text not null,
        -- uploading | scheduled | running | successful | failed | cancelled
        state text not null default 'scheduled',
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
        expected_seconds integer not null default 0,
        -- The app and provider that claimed the task last.
        app_id text,
        provider_id text,
        attempts integer not null default 0,
        -- A running task whose lease has ended is scheduled again.
        lease_seconds integer,
        lease_until timestamptz,
        -- The order in which tasks of a type are claimed: the time of scheduling, later for users who
        -- have unfinished tasks of the type.
        place_at timestamptz not null default now(),
        -- When it fails unless it has ended.
        deadline_at timestamptz not null,
        changed_at timestamptz not null default now(),
        scheduled_at timestamptz not null default now(),
        started_at timestamptz,
        ended_at timestamptz,
        constraint processing_task_state_check check
          (state in ('uploading', 'scheduled', 'running', 'successful', 'failed', 'cancelled'))
      );
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
        file_id bigint not null references processing_task_file (id) on delete cascade,
        place integer not null,
        bytes bytea not null,
        constraint processing_task_file_piece_pkey primary key (file_id, place)
      );

      -- What administrators decided about a task type; types without a row are enabled.
      create table task_type_setting (
        type text primary key,
        enabled boolean not null default true,
        -- The id of the preferred provider; null for the first one that was registered.
        provider_id text
      );
    `);
    // Every process keeps in memory what can be scheduled, and which types have scheduled tasks.
    this.addSql(`
      create function announce_scheduled_task() returns trigger language plpgsql as $$
      begin
        perform pg_notify('gatefold_tasks', new.type);
        return null;
      end $$;
      create trigger processing_task_scheduled after insert or update of state on processing_task
        for each row when (new.state = 'scheduled') execute function announce_scheduled_task();

      create function announce_task_catalogue() returns trigger language plpgsql as $$
      begin
        perform pg_notify('gatefold_task_catalogue', '');
        return null;
      end $$;
      create trigger task_type_setting_changed
        after insert or update or delete on task_type_setting
        for each statement execute function announce_task_catalogue();
      create trigger task_provider_registered after insert or update on ex_app_registration
        for each row when (new.kind = 'task_processing') execute function announce_task_catalogue();
      create trigger task_provider_unregistered after delete on ex_app_registration
        for each row when (old.kind = 'task_processing') execute function announce_task_catalogue();
      create trigger ex_app_enabled after update of enabled on ex_app
        for each row when (new.enabled <> old.enabled) execute function announce_task_catalogue();
    `);
  }
}
