import { Migration } from '@mikro-orm/migrations';

/** App passwords of programs that logged in by the Google Reader API are for the feed reader alone. */
export class Migration0072ScopesOfPrograms extends Migration {
  override name = '0072-scopes-of-programs';

  override up(): void {
    this.addSql(
      `update app_password set scope = 'reader' where program is not null and scope = 'everything'`,
    );
  }
}
