import { RollingMigration } from './kinds.js';

/** A poll compares the revision of each feed that somebody follows, and reads it from the index alone. */
export class Migration0110SourceRev extends RollingMigration {
  override name = '0110-source-rev';
  readonly locks = { source: 'share row exclusive' };

  override up(): void {
    this.addSql('create index source_id_rev_index on source (id) include (rev)');
  }
}
