import { RollingMigration } from './kinds.js';

/** Items whose state another item of their feed has, since two feeds were merged. */
export class Migration0118MergedItems extends RollingMigration {
  override name = '0118-merged-items';
  readonly locks = { item_mark: 'access exclusive' };

  override up(): void {
    this.addSql('alter table item_mark add column merged boolean not null default false');
  }
}
