import { Migration } from '@mikro-orm/migrations';

/** A failed installation or update of an external app is marked as failed. */
export class Migration0023FailedInstallations extends Migration {
  override name = '0023-failed-installations';

  override up(): void {
    this.addSql(`
      -- An app that reported an error itself may still go on; the others were given up on.
      update ex_app
         set status = status || jsonb_build_object('type', (status->>'type') || ' failed', 'action', '')
       where not enabled and status->>'type' in ('install', 'update')
         and coalesce(status->>'error', '') <> '' and status->>'action' <> 'init';
    `);
  }
}
