import { Migration } from '@mikro-orm/migrations';

/** Entries of the audit log outlive their accounts, whose names may be given to others. */
export class Migration0074FormerAccounts extends Migration {
  override name = '0074-former-accounts';

  override up(): void {
    this.addSql(`
      alter table security_event
        add column user_deleted_at timestamptz, add column actor_deleted_at timestamptz`);
  }
}
