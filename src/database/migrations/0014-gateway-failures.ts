import { Migration } from '@mikro-orm/migrations';

/** Wrong gateway credentials are counted by who they were said to be of, not by the host alone. */
export class Migration0014GatewayFailures extends Migration {
  override name = '0014-gateway-failures';

  override up(): void {
    this.addSql(`
      -- Whom the credentials were said to be of, as a hash: strangers may say anything.
      alter table gateway_failure add column claim_hash text not null default '';
    `);
  }
}
