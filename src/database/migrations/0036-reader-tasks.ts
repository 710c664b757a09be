import { Migration } from '@mikro-orm/migrations';

/** Work of external apps on articles: its progress, and tasks that start by themselves. */
export class Migration0036ReaderTasks extends Migration {
  override name = '0036-reader-tasks';

  override up(): void {
    this.addSql(`
      -- Per cent; null if the app does not report any.
      alter table article_assistance add column progress smallint;
      -- Started for new items, not asked for.
      alter table article_assistance add column automatic boolean not null default false;

      -- The task of task processing that does the work of this one; null if the app is called.
      alter table ex_app_task add column processing_task_id bigint;

      -- What is done with new items of a feed or a folder. A null means: as the folder has it.
      create table automatic_choice (
        id bigint generated always as identity primary key,
        reader_id bigint not null references reader (id) on delete cascade,
        subscription_id bigint references subscription (id) on delete cascade,
        folder_id bigint references folder (id) on delete cascade,
        -- The language that titles are translated to; empty: they are not.
        titles_to text,
        summarise boolean,
        -- Items with lower ids were there when it was switched on.
        titles_from_id bigint not null default 0,
        summaries_from_id bigint not null default 0,
        constraint automatic_choice_of_check check (num_nonnulls(subscription_id, folder_id) = 1),
        constraint automatic_choice_subscription_id_unique unique (subscription_id),
        constraint automatic_choice_folder_id_unique unique (folder_id)
      );
      create index automatic_choice_reader_id_index on automatic_choice (reader_id);

      -- Readers who made such a choice. Its row is the lock on the budget.
      create table automatic_reader (
        reader_id bigint primary key references reader (id) on delete cascade,
        -- Whether any choice is switched on.
        is_on boolean not null,
        -- Items up to these ids have been looked at.
        titles_done_id bigint not null default 0,
        summaries_done_id bigint not null default 0,
        -- Tasks that were started on that day.
        day date not null default current_date,
        used integer not null default 0
      );

      -- Failures in a row of one kind of task; after a few it pauses.
      create table automatic_pause (
        kind text primary key,
        failures integer not null,
        paused_until timestamptz not null
      );
    `);
  }
}
