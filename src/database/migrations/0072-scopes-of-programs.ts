import { RollingMigration } from './kinds.js';

/** App passwords of programs that logged in by the Google Reader API are for the feed reader alone. */
export class Migration0072ScopesOfPrograms extends RollingMigration {
  override name = '0072-scopes-of-programs';
  override readonly locks = { app_password: 'exclusive' };

  override up(): void {
    this.addSql(
      `update app_password set scope = 'reader' where program is not null and scope = 'everything'`,
    );
  }
}
