import { Migration } from '@mikro-orm/migrations';

/** Lists of the pages in the order of publication: docs/decisions/0037-lists-by-date.md. */
export class Migration0028ListsByDate extends Migration {
  override name = '0028-lists-by-date';

  override up(): void {
    // Defaults that are constant for a statement, so that no row is written. The date fits into the
    // padding of the row. A process of an earlier version stores the time of delivery.
    this.addSql(`
      alter table item
        add column date_seconds integer not null default extract(epoch from now())::integer`);
    // The service dates the items of each reader in batches, see readers-to-date.
    this.addSql('alter table reader add column items_dated boolean not null default false');
    this.addSql('alter table reader alter column items_dated set default true');
    this.addSql(`
      create index item_date_index on item (subscription_id, unread, date_seconds, id)`);
    this.addSql(`
      create index item_starred_date_index on item (subscription_id, date_seconds, id) where starred`);
    // Texts in scripts without spaces are indexed by pairs of characters: those of people who search
    // are indexed again.
    this.addSql('update source set search_rev = -1 where search_rev is not null');
    this.addSql('create index reader_to_date_index on reader (id) where not items_dated');
  }
}
