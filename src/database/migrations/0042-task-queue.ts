import { Migration } from '@mikro-orm/migrations';

/**
 * The queue of task processing: tasks of apps that cannot work on them any more are given back, and ends
 * are announced to all processes.
 */
export class Migration0042TaskQueue extends Migration {
  override name = '0042-task-queue';

  override up(): void {
    // Reports of progress change no indexed column, and find room beside the row.
    this.addSql('alter table processing_task set (fillfactor = 80)');
    this.addSql(`
      create function announce_ended_task() returns trigger language plpgsql as $$
      begin
        perform pg_notify('gatefold_task_ended', new.id::text);
        return null;
      end $$;
      create trigger processing_task_ended after update of ended_at on processing_task
        for each row when (old.ended_at is null and new.ended_at is not null)
        execute function announce_ended_task()`);
    // Triggers, so that no task stays with an app that is gone, whatever removed it. It is not the
    // app's fault, so the attempt does not count.
    this.addSql(`
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
        execute function give_back_tasks_of_provider()`);
  }
}
