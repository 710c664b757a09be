import { RollingMigration } from './kinds.js';

/** Dead properties of files counted to no limit. */
export class Migration0075DeadProperties extends RollingMigration {
  override name = '0075-dead-properties';
  override readonly locks = { file_node: 'access exclusive', file_blob_unreferenced: 'exclusive' };

  override up(): void {
    this.addSql('alter table file_node add column property_bytes int not null default 0');
    this.addSql(`
      update file_node set property_bytes = octet_length(dead_properties::text)
       where dead_properties <> '{}'
    `);
    this.addSql(`
      create index file_node_property_bytes_index on file_node (user_id) include (property_bytes)
        where property_bytes > 0
    `);
  }
}
