import { RollingMigration } from './kinds.js';

/** When the client certificates of sources end, so that their followers are told before. */
export class Migration0126Access extends RollingMigration {
  override name = '0126-access';
  readonly locks = { source: 'access exclusive' };

  override up(): void {
    this.addSql(`
      alter table source
        add column certificate_ends timestamptz,
        add column certificate_told_at timestamptz;
      create index source_certificate_ends_index on source (certificate_ends)
        where certificate_ends is not null;
    `);
  }
}
