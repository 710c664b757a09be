import { Migration } from '@mikro-orm/migrations';

/** Marks failed installations of external apps; lets commands find the running service. */
export class Migration0023GatewayOperation extends Migration {
  override name = '0023-gateway-operation';

  override up(): void {
    this.addSql(`
      -- An app that reported an error itself may still go on; the others were given up on.
      update ex_app
         set status = status || jsonb_build_object('type', (status->>'type') || ' failed', 'action', '')
       where not enabled and status->>'type' in ('install', 'update')
         and coalesce(status->>'error', '') <> '' and status->>'action' <> 'init';

      -- Where processes of the service listen, for commands whose environment does not say.
      create table service_address (
        address text primary key,
        announced_at timestamptz not null default now()
      );
    `);
  }
}
