import { Migration } from '@mikro-orm/migrations';

/** What an app password is accepted for, and until when. */
export class Migration0048AppPasswordScopes extends Migration {
  override name = '0048-app-password-scopes';

  override up(): void {
    this.addSql(`
      alter table app_password
        add column scope text not null default 'everything',
        add column expires_at timestamptz,
        add constraint app_password_scope_check
          check (scope in ('everything', 'reader', 'reader-read', 'files', 'files-read')),
        add constraint app_password_administers_everything
          check (scope = 'everything' or not may_administer)`);
    this.addSql(`
      create index app_password_expires_at on app_password (expires_at)
        where expires_at is not null`);
  }
}
