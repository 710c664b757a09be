import { RollingMigration } from './kinds.js';

/** Whether anything is to be delivered is asked with every synchronisation: by an index, not by the rows. */
export class Migration0106PendingDeliveries extends RollingMigration {
  override name = '0106-pending-deliveries';
  override readonly locks = { subscription: 'share row exclusive' };

  override up(): void {
    this.addSql(`
      create index subscription_delivered_rev_index on subscription (reader_id, source_id)
        include (delivered_rev) where deleted_at is null`);
  }
}
