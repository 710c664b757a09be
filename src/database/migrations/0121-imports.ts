import { keyUnlessDistributed, RollingMigration } from './kinds.js';

/**
 * Files of other readers that are imported: the file, its rows until they are done, and what was done. No foreign
 * keys to items: deleting items in bulk would look for each of them here.
 */
export class Migration0121Imports extends RollingMigration {
  override name = '0121-imports';
  readonly locks = { reader: 'exclusive' };

  override up(): void {
    this.addSql(`
      create table news_import (
        reader_id bigint,
        id bigint generated always as identity,
        format text not null,
        -- preview, running, done, cancelled, undoing, undone
        state text not null,
        row_count integer not null default 0,
        done_count integer not null default 0,
        preview jsonb not null,
        outcome jsonb not null default '{}',
        left_out jsonb not null,
        feeds jsonb not null,
        -- Lists of feeds in the file; null once they are imported.
        opml bytea[],
        -- Feeds, folders and labels that it made.
        made jsonb not null default '{}',
        created_at timestamptz not null default now(),
        started_at timestamptz,
        ended_at timestamptz,
        primary key (reader_id, id)
      );
      create index news_import_created_at_index on news_import (created_at) where state = 'preview';
      create table news_import_row (
        reader_id bigint,
        import_id bigint,
        place integer,
        at_seconds bigint not null,
        identity bytea not null,
        row text not null,
        primary key (reader_id, import_id, place)
      );
      create index news_import_row_at_index on news_import_row (reader_id, import_id, at_seconds, place desc);
      create table imported_article (
        reader_id bigint,
        identity bytea,
        import_id bigint,
        item_id bigint not null,
        created boolean not null,
        read boolean not null,
        starred boolean not null,
        noted boolean not null,
        labels text[] not null,
        highlight_ids bigint[] not null,
        primary key (reader_id, identity, import_id)
      );
      create index imported_article_item_index on imported_article (reader_id, item_id);
      create index imported_article_import_index on imported_article (reader_id, import_id, item_id);
    `);
    for (const table of ['news_import', 'news_import_row', 'imported_article']) {
      this.addSql(
        keyUnlessDistributed(
          table,
          'foreign key (reader_id) references reader (id) on delete cascade',
        ),
      );
    }
  }
}
