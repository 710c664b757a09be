import { Migration } from '@mikro-orm/migrations';

/**
 * The queue of task processing: claims are fair between users, changes are announced to all processes,
 * and tasks of apps that cannot work on them any more are given back.
 */
export class Migration0042TaskQueue extends Migration {
  override name = '0042-task-queue';

  override up(): void {
    this.addSql(`
      drop index processing_task_scheduled_index;
      -- The oldest task of each user; tasks of apps without a user count as those of one user.
      create index processing_task_scheduled_index
          on processing_task (type, coalesce(user_id, ''), id) where state = 'scheduled';
      -- When a user was served last.
      create index processing_task_started_index
          on processing_task (type, coalesce(user_id, ''), started_at) where started_at is not null;
      -- Reports of progress change no indexed column, and find room beside the row.
      alter table processing_task set (fillfactor = 80)`);
    // Triggers, so that whatever changes a task announces it, in the same transaction.
    this.addSql(`
      create function announce_task() returns trigger language plpgsql as $$
      begin
        if new.state = 'scheduled' then
          perform pg_notify('task_scheduled', new.type);
        elsif new.ended_at is not null then
          perform pg_notify('task_ended', new.id::text);
        end if;
        return null;
      end $$`);
    this.addSql(`
      create trigger processing_task_inserted after insert on processing_task
        for each row when (new.state = 'scheduled') execute function announce_task();
      create trigger processing_task_changed after update of state on processing_task
        for each row when (old.state <> new.state and new.state <> 'running')
        execute function announce_task()`);
    // Not the app's fault, so the attempt does not count.
    this.addSql(`
      create function give_back_tasks(lost_app text, lost_provider text) returns void
        language sql as $$
        update processing_task
           set state = 'scheduled', attempts = greatest(attempts - 1, 0), lease_until = null,
               progress = null, output = null, changed_at = now()
         where app_id = lost_app and state = 'running'
           and (lost_provider is null or provider_id = lost_provider)
      $$`);
    this.addSql(`
      create function give_back_tasks_of_app() returns trigger language plpgsql as $$
      begin
        perform give_back_tasks(new.app_id, null);
        return null;
      end $$`);
    this.addSql(`
      create function give_back_tasks_of_provider() returns trigger language plpgsql as $$
      begin
        perform give_back_tasks(old.app_id, old.key);
        return null;
      end $$`);
    this.addSql(`
      create trigger ex_app_disabled after update of enabled on ex_app
        for each row when (old.enabled and not new.enabled)
        execute function give_back_tasks_of_app();
      create trigger task_provider_removed after delete on ex_app_registration
        for each row when (old.kind = 'task_processing')
        execute function give_back_tasks_of_provider()`);
  }
}
