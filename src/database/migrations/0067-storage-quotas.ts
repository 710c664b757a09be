import { Migration } from '@mikro-orm/migrations';

/** Storage quotas of single accounts. Accounts without a row have the quota of the settings. */
export class Migration0067StorageQuotas extends Migration {
  override name = '0067-storage-quotas';

  override up(): void {
    this.addSql(`
      create table file_quota (
        user_id text primary key references account (user_id) on delete cascade,
        -- Null: no limit.
        quota_bytes bigint check (quota_bytes >= 0)
      );
    `);
  }
}
