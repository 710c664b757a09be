import { Migration } from '@mikro-orm/migrations';

/** Counts wrong gateway credentials per claimed app, not only per network. */
export class Migration0014GatewayFailures extends Migration {
  override name = '0014-gateway-failures';

  override up(): void {
    this.addSql(`
      -- Whom the credentials were said to be of, as a hash: strangers may say anything.
      alter table gateway_failure add column claim_hash text not null default '';
    `);
  }
}
