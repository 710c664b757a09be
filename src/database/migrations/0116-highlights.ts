import { keyUnlessDistributed, RollingMigration } from './kinds.js';

/**
 * Passages that readers marked in items, and notes. No foreign key to items: deleting items in bulk would look
 * for each of them here.
 */
export class Migration0116Highlights extends RollingMigration {
  override name = '0116-highlights';
  readonly locks = { reader: 'exclusive', item_mark: 'access exclusive' };

  override up(): void {
    this.addSql(`
      create table item_highlight (
        reader_id bigint,
        id bigint generated always as identity,
        item_id bigint not null,
        exact text not null,
        prefix text not null,
        suffix text not null,
        position integer not null,
        colour text not null,
        note text,
        created_at timestamptz not null default now(),
        changed_at timestamptz not null default now(),
        primary key (reader_id, id)
      );
      create index item_highlight_item_index on item_highlight (reader_id, item_id, position, id);
      alter table item_mark add column highlighted boolean not null default false;
      create index item_mark_highlighted_index on item_mark (reader_id, item_id) where highlighted;
    `);
    this.addSql(
      keyUnlessDistributed(
        'item_highlight',
        'foreign key (reader_id) references reader (id) on delete cascade',
      ),
    );
  }
}
