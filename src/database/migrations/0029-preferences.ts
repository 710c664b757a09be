import { Migration } from '@mikro-orm/migrations';

/**
 * Preferences of people and their places in recordings, which were kept in one browser. See
 * docs/decisions/0039-preferences.md.
 */
export class Migration0029Preferences extends Migration {
  override name = '0029-preferences';

  override up(): void {
    this.addSql(`
      create table user_preference (
        user_id text not null references account (user_id) on delete cascade,
        -- A group of fields with a schema of its own, for instance 'reader'.
        area text not null,
        -- Fields that differ from their default, by name.
        chosen jsonb not null default '{}',
        -- Counts the changes.
        version integer not null default 0,
        primary key (user_id, area)
      )`);
    this.addSql(`
      -- No foreign key to items: deleting items in bulk would look for each of them here. The number
      -- of rows per reader is limited.
      create table playback_position (
        reader_id bigint not null references reader (id) on delete cascade,
        item_id bigint not null,
        position_seconds integer not null,
        -- Null while unknown.
        duration_seconds integer,
        -- Where the person listened, in words for people; empty when unknown.
        device text not null,
        listened_at timestamptz not null,
        primary key (reader_id, item_id)
      )`);
  }
}
