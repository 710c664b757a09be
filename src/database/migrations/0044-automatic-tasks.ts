import { Migration } from '@mikro-orm/migrations';

/** Tasks of external apps that start by themselves for new items. */
export class Migration0044AutomaticTasks extends Migration {
  override name = '0044-automatic-tasks';

  override up(): void {
    this.addSql(`
      -- Started for new items, not asked for.
      alter table article_assistance add column automatic boolean not null default false;

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
