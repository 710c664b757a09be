import { RollingMigration } from './kinds.js';

/** An app could set an address that nobody has confirmed, and a link for the password was sent there. */
export class Migration0073ConfirmedAddresses extends RollingMigration {
  override name = '0073-confirmed-addresses';
  override readonly locks = { account: 'access exclusive' };

  override up(): void {
    this.addSql('alter table account add column email_confirmed boolean not null default false');
    this.addSql('alter table account alter column email_confirmed set default true');
  }
}
