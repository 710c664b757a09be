import { Migration } from '@mikro-orm/migrations';

/** Events of the feed reader for external apps, stored with the change that caused them. */
export class Migration0037NewsEvents extends Migration {
  override name = '0037-news-events';

  override up(): void {
    this.addSql(`
      -- Empty but for a moment: rows are moved to the queues of listeners. Without foreign key, whose
      -- check would make fetches wait for the locks of readers.
      create table news_event (
        id bigint generated always as identity primary key,
        reader_id bigint not null,
        subtype text not null,
        -- At most 100; empty for events of feeds.
        item_ids bigint[] not null,
        -- The feed as it was; null for events of items.
        feed json
      )`);
    // Until now this type was accepted without effect.
    this.addSql(`
      update ex_app_registration
         set fields = ('{"feedUrls": [], "folderNames": [], "withBodies": false}'::jsonb
                       || fields::jsonb)::json
       where kind = 'events_listener' and key = 'news_event'`);
    this.addSql(`
      create index ex_app_registration_news_event_index on ex_app_registration (app_id)
       where kind = 'events_listener' and key = 'news_event'`);
    this.addSql(`
      -- The subtypes that any enabled app wants, '*' for all. A statement that changes items asks it,
      -- so that no app costs nothing, and a registration takes effect at once in all processes.
      create view news_event_wish as
      select coalesce(wanted.subtype, '*') as subtype
        from ex_app_registration r
        join ex_app on ex_app.app_id = r.app_id and ex_app.enabled
        left join lateral json_array_elements_text(r.fields->'eventSubtypes') wanted (subtype) on true
       where r.kind = 'events_listener' and r.key = 'news_event'`);
    this.addSql(`
      create function announce_news_event() returns trigger language plpgsql as $$
      begin
        perform pg_notify('gatefold_news_event', '');
        return null;
      end $$`);
    this.addSql(`
      create trigger news_event_inserted after insert on news_event
        for each row execute function announce_news_event()`);

    // Triggers, since feeds come and go with folders, imports and by undoing.
    this.addSql(`
      create function note_feed_event(feed subscription, told text) returns void language plpgsql as $$
      begin
        insert into news_event (reader_id, subtype, item_ids, feed)
        select feed.reader_id, told, '{}',
               json_build_object('id', feed.id, 'url', feed.url,
                                 'title', coalesce(feed.title, source.title, ''),
                                 'folderId', feed.folder_id, 'folder', folder.name,
                                 'errorCount', coalesce(source.error_count, 0),
                                 'error', source.last_error)
          from (select) one
          left join source on source.id = feed.source_id
          left join folder on folder.id = feed.folder_id
         where exists (select from news_event_wish where subtype in (told, '*'));
      end $$`);
    this.addSql(`
      create function note_subscription_event() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' then
          perform note_feed_event(old, 'FeedRemovedEvent');
        elsif new.deleted_at is not null then
          perform note_feed_event(new, 'FeedRemovedEvent');
        else
          perform note_feed_event(new, 'FeedAddedEvent');
        end if;
        if tg_op = 'UPDATE' and new.deleted_at is null then
          -- The items that come back with the feed.
          insert into news_event (reader_id, subtype, item_ids)
          select new.reader_id, 'ItemsDeliveredEvent', array_agg(numbered.id order by numbered.id)
            from (select item.id, (row_number() over (order by item.id) - 1) / 100 as batch
                    from item where item.subscription_id = new.id) numbered
           where exists (select from news_event_wish where subtype in ('ItemsDeliveredEvent', '*'))
           group by batch order by batch;
        end if;
        return null;
      end $$`);
    this.addSql(`
      create trigger subscription_inserted after insert on subscription
        for each row when (new.deleted_at is null) execute function note_subscription_event()`);
    this.addSql(`
      create trigger subscription_marked after update of deleted_at on subscription
        for each row when ((old.deleted_at is null) <> (new.deleted_at is null))
        execute function note_subscription_event()`);
    this.addSql(`
      create trigger subscription_deleted after delete on subscription
        for each row when (old.deleted_at is null) execute function note_subscription_event()`);
    this.addSql(`
      create function note_source_health() returns trigger language plpgsql as $$
      begin
        perform note_feed_event(s, case when new.error_count > 0 or new.gone_at is not null
                                        then 'FeedFailingEvent' else 'FeedRecoveredEvent' end)
           from subscription s where s.source_id = new.id and s.deleted_at is null
            and exists (select from news_event_wish
                         where subtype in ('FeedFailingEvent', 'FeedRecoveredEvent', '*'));
        return null;
      end $$`);
    this.addSql(`
      create trigger source_health_changed after update of error_count, gone_at on source
        for each row when ((old.error_count > 0 or old.gone_at is not null)
                           <> (new.error_count > 0 or new.gone_at is not null))
        execute function note_source_health()`);
  }
}
