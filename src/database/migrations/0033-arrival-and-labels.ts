import { Migration } from '@mikro-orm/migrations';

/** What the Google Reader and Fever APIs need: when an item arrived, and labels of items. */
export class Migration0033ArrivalAndLabels extends Migration {
  override name = '0033-arrival-and-labels';

  override up(): void {
    // A process of an earlier version stores the start of its transaction, which is close enough.
    this.addSql(`
      alter table item
        add column arrived_micros bigint not null
            default (extract(epoch from now()) * 1000000)::bigint`);
    // When the article was fetched, at most the last change of the item. Rises with the ids, since
    // "arrived since" is looked up by id.
    this.addSql(`
      update item set arrived_micros = estimated.micros
        from (select item.reader_id, item.id,
                     max(least((extract(epoch from article.fetched_at) * 1000000)::bigint,
                               item.last_modified_micros))
                       over (partition by item.reader_id order by item.id) as micros
                from item left join article on article.id = item.article_id) estimated
       where item.reader_id = estimated.reader_id and item.id = estimated.id`);
    this.addSql(`
      create table label (
        id bigint generated always as identity primary key,
        reader_id bigint not null references reader (id) on delete cascade,
        name text not null,
        constraint label_reader_id_name_unique unique (reader_id, name)
      )`);
    this.addSql(`
      create table item_label (
        reader_id bigint not null,
        item_id bigint not null,
        label_id bigint not null references label (id) on delete cascade,
        constraint item_label_pkey primary key (label_id, item_id),
        constraint item_label_item_fkey foreign key (reader_id, item_id)
                   references item (reader_id, id) on delete cascade
      )`);
    this.addSql('create index item_label_item_index on item_label (reader_id, item_id)');
  }
}
