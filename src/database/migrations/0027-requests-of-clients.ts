import { Migration } from '@mikro-orm/migrations';

/**
 * Unread and starred items are counted when they change, not when feeds are listed; changes of
 * credentials are announced, so that recently verified ones can be remembered.
 */
export class Migration0027RequestsOfClients extends Migration {
  override name = '0027-requests-of-clients';

  override up(): void {
    this.addSql(`
      -- Right while counted_micros of the reader is its last stamp. A process that does not keep the
      -- counts moves the stamp alone, and the next synchronisation counts again.
      alter table subscription
        add column unread_count integer not null default 0,
        add column starred_count integer not null default 0,
        set (fillfactor = 80)`);
    this.addSql('alter table reader add column counted_micros bigint not null default 0');

    // Triggers, so that changes by earlier versions and by hand are announced as well.
    this.addSql(`
      create function announce_credentials() returns trigger language plpgsql as $$
      begin
        perform pg_notify('gatefold_credentials', old.user_id);
        return null;
      end $$`);
    this.addSql(`
      create trigger account_credentials_changed
        after delete or update of display_name, email, password_hash, is_admin, disabled_at
        on account for each row execute function announce_credentials()`);
    this.addSql(`
      create trigger app_password_changed
        after delete or update of token_hash, may_administer
        on app_password for each row execute function announce_credentials()`);
  }
}
