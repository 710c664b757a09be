import { RollingMigration } from './kinds.js';

/** Entries of the audit log outlive their accounts, whose names may be given to others. */
export class Migration0074FormerAccounts extends RollingMigration {
  override name = '0074-former-accounts';
  override readonly locks = { security_event: 'access exclusive' };

  override up(): void {
    this.addSql(`
      alter table security_event
        add column user_deleted_at timestamptz, add column actor_deleted_at timestamptz`);
  }
}
