import { Migration } from '@mikro-orm/migrations';

/** Events have a place in the order of their reader. See docs/decisions/0072-readers-distributed.md. */
export class Migration0071PlacesOfEvents extends Migration {
  override name = '0071-places-of-events';

  override up(): void {
    this.addSql(`
      -- Above those of all recorded events of the reader; unix microseconds if they are older. The
      -- default is for processes of an earlier version.
      alter table news_event add column place bigint not null
        default (extract(epoch from clock_timestamp()) * 1000000)::bigint`);
    this.addSql('create index news_event_place_index on news_event (place)');
    this.addSql(`
      create function next_event_place(of_reader bigint) returns bigint language plpgsql as $$
      declare
        last bigint;
      begin
        select max(place) into last from news_event where reader_id = of_reader;
        return greatest(coalesce(last, 0), (extract(epoch from clock_timestamp()) * 1000000)::bigint)
               + 1;
      end $$`);
    this.addSql(`
      create or replace function note_feed(of_reader bigint, feed_id bigint, of_source bigint,
                                           of_folder bigint, address text, own_title text, told text)
      returns void language plpgsql as $$
      declare
        next bigint;
        folder_name text;
        noted json;
      begin
        if not exists (select from news_event_wish where subtype in (told, '*')) then
          return;
        end if;
        -- One after the other: these tables may be on different servers.
        next := next_event_place(of_reader);
        select name into folder_name from folder where reader_id = of_reader and id = of_folder;
        select json_build_object('id', feed_id, 'url', address,
                                 'title', coalesce(own_title, source.title, ''),
                                 'folderId', of_folder, 'folder', folder_name,
                                 'errorCount', coalesce(source.error_count, 0),
                                 'error', source.last_error)
          into noted from (select) one left join source on source.id = of_source;
        insert into news_event (reader_id, place, subtype, item_ids, feed)
        values (of_reader, next, told, '{}', noted);
        perform pg_notify('gatefold_news_event', '');
      end $$`);
    this.addSql(`
      create or replace function note_returned_items(of_reader bigint, feed_id bigint)
      returns void language plpgsql as $$
      declare
        next bigint;
      begin
        if not exists (select from news_event_wish where subtype in ('ItemsDeliveredEvent', '*')) then
          return;
        end if;
        next := next_event_place(of_reader);
        insert into news_event (reader_id, place, subtype, item_ids)
        select of_reader, next + batch, 'ItemsDeliveredEvent',
               array_agg(numbered.id order by numbered.id)
          from (select item.id, (row_number() over (order by item.id) - 1) / 100 as batch
                  from item where item.reader_id = of_reader and item.subscription_id = feed_id
               ) numbered
         group by batch;
        perform pg_notify('gatefold_news_event', '');
      end $$`);
  }
}
