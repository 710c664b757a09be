import { Migration } from '@mikro-orm/migrations';

/** Notifications. */
export class Migration0007Notifications extends Migration {
  override name = '0007-notifications';

  override up(): void {
    this.addSql(`
      create table notification (
        id bigint generated always as identity primary key,
        user_id text not null references account (user_id) on delete cascade,
        -- The sender. Not bound to the external apps: the host sends some, too.
        app_id text not null,
        object_type text not null,
        object_id text not null,
        -- {text, parameters}. As json, not jsonb: parameters are read back as they were sent.
        subject json not null,
        message json not null,
        link text not null,
        created_at timestamptz not null default now()
      );
      create index notification_user_id_id_index on notification (user_id, id);
      create index notification_app_id_index on notification (app_id);
    `);
  }
}
