import { RollingMigration } from './kinds.js';

/** Accounts of which nothing is removed until a day, or until an administrator ends it. */
export class Migration0130AccountHolds extends RollingMigration {
  override name = '0130-account-holds';
  readonly locks = { account: 'access exclusive' };

  override up(): void {
    this.addSql(`
      alter table account add column held_at timestamptz, add column held_until timestamptz;
      create index account_held_index on account (user_id) where held_at is not null;
    `);
  }
}
