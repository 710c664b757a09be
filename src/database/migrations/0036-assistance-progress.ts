import { Migration } from '@mikro-orm/migrations';

/** Progress of the work of external apps on articles; older tasks that task processing does. */
export class Migration0036AssistanceProgress extends Migration {
  override name = '0036-assistance-progress';

  override up(): void {
    this.addSql(`
      -- Per cent; null if the app does not report any.
      alter table article_assistance add column progress smallint;

      -- The task of task processing that does the work of this one; null if the app is called.
      alter table ex_app_task add column processing_task_id bigint;
    `);
  }
}
