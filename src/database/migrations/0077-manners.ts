import { RollingMigration } from './kinds.js';

/** Wishes of publishers were observed by the schedule only; icons were looked for once per feed. */
export class Migration0077Manners extends RollingMigration {
  override name = '0077-manners';
  override readonly locks = {
    source_schedule: 'access exclusive',
    housekeeping: 'access exclusive',
    icon: 'share row exclusive',
  };

  override up(): void {
    this.addSql('alter table source_schedule add column rests_until timestamptz');
    this.addSql('alter table housekeeping add column note text');
    this.addSql(`
      create table icon_place (
        key bytea primary key,
        due_at timestamptz not null,
        icon_id bigint references icon (id) on delete cascade,
        icon_url text
      );
      create index icon_place_icon_id_index on icon_place (icon_id);
    `);
  }
}
