import { RollingMigration } from './kinds.js';

/**
 * Items are vacuumed earlier than other tables, the items of an import are made before a client asks, and new
 * sources are no work for the search index before they have articles.
 */
export class Migration0120LargeLibraries extends RollingMigration {
  override name = '0120-large-libraries';
  readonly locks = {
    item: 'share row exclusive',
    reader: 'access exclusive',
    source: 'access exclusive',
  };

  override up(): void {
    // By default a table is vacuumed when a fifth of its rows were changed. Of 1.5 million items that are 300,000
    // marks as read, each of which leaves an entry in every index. On Citus, the setting is that of all shards.
    this.addSql(`
      alter table item set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1);
      alter table reader add column early_until timestamptz;
      alter table source alter column tokens_rev set default 0;
    `);
  }
}
