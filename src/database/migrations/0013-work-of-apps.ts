import { Migration } from '@mikro-orm/migrations';

/** Progress of providers' tasks, recordings in chunks, and state of apps. */
export class Migration0013WorkOfApps extends Migration {
  override name = '0013-work-of-apps';

  override up(): void {
    this.addSql(`
      -- state is from now on: uploading, queued, running, done, failed
      alter table ex_app_task
        add column started_at timestamptz,
        -- Per cent, as the app reported it.
        add column progress smallint;
      update ex_app_task set started_at = created_at;

      drop index ex_app_task_running_index;
      create index ex_app_task_unfinished_index on ex_app_task (deadline_at) where finished_at is null;
      drop index ex_app_task_user_id_index;
      create index ex_app_task_user_id_id_index on ex_app_task (user_id, id);

      -- A recording until its task is finished. In pieces, so that neither its way in nor its way
      -- out needs room for the whole of it.
      create table ex_app_task_piece (
        task_id bigint not null references ex_app_task (id) on delete cascade,
        place int not null,
        bytes bytea not null,
        constraint ex_app_task_piece_pkey primary key (task_id, place)
      );
      insert into ex_app_task_piece (task_id, place, bytes)
        select id, 0, file from ex_app_task where file is not null;
      alter table ex_app_task drop column file;

      -- The latest of what an app said, and of what the host has to say about it.
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

      -- For taking away what is too old, or too much of one sender.
      create index notification_created_at_index on notification (created_at);
      create index notification_user_id_app_id_id_index on notification (user_id, app_id, id);
    `);
  }
}
