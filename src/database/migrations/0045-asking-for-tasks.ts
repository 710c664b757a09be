import { Migration } from '@mikro-orm/migrations';

/** When an external app last asked for tasks. */
export class Migration0045AskingForTasks extends Migration {
  override name = '0045-asking-for-tasks';

  override up(): void {
    this.addSql('alter table ex_app add column tasks_asked_at timestamptz');
  }
}
