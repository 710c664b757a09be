import type { DatabaseFunction } from './database-function.js';

/** Triggers of `subscription`, which has none where readers are distributed; see `NOTE_FOLLOWER_EVENT`. */
const NOTE_SUBSCRIPTION_EVENT: DatabaseFunction = {
  name: 'note_subscription_event',
  text: `declare
        feed subscription := case when tg_op = 'DELETE' then old else new end;
      begin
        perform note_feed(feed.reader_id, feed.id, feed.source_id, feed.folder_id, feed.url, feed.title,
                          case when tg_op = 'DELETE' or feed.deleted_at is not null
                               then 'FeedRemovedEvent' else 'FeedAddedEvent' end);
        if tg_op = 'UPDATE' and new.deleted_at is null then
          perform note_returned_items(new.reader_id, new.id);
        end if;
      end;`,
  triggers: {
    subscription_inserted: `after insert on subscription
        for each row when (new.deleted_at is null)`,
    subscription_marked: `after update of deleted_at on subscription
        for each row when ((old.deleted_at is null) <> (new.deleted_at is null))`,
    subscription_deleted: `after delete on subscription
        for each row when (old.deleted_at is null)`,
  },
  onlyOn: 'one server',
  readBy: 'note_feed',
  reason: 'Feeds come and go with folders, imports and undo.',
};

/** The same for the copies of subscriptions beside the sources. */
export const NOTE_FOLLOWER_EVENT: DatabaseFunction = {
  ...NOTE_SUBSCRIPTION_EVENT,
  name: 'note_follower_event',
  text: NOTE_SUBSCRIPTION_EVENT.text
    .replace('feed subscription', 'feed follower')
    .replaceAll(/\b(feed|new)\.id\b/g, '$1.subscription_id'),
  triggers: Object.fromEntries(
    Object.entries(NOTE_SUBSCRIPTION_EVENT.triggers ?? {}).map(([name, when]) => [
      name.replace('subscription', 'follower'),
      when.replace('on subscription', 'on follower'),
    ]),
  ),
  onlyOn: 'several servers',
};

export const NEWS_FUNCTIONS: readonly DatabaseFunction[] = [
  {
    name: 'note_removed_sources',
    text: `insert into removed_source (source_id) select id from gone;`,
    triggers: {
      source_removed: `after delete on source
        referencing old table as gone for each statement`,
    },
    readBy: 'SourcesRepository',
    reason: 'Articles of a removed source are deleted afterwards, maybe on other servers.',
  },
  {
    name: 'note_reader',
    text: `insert into reader_user (user_id, reader_id) values (new.user_id, new.id)
            on conflict do nothing;`,
    triggers: { reader_inserted: `after insert on reader for each row` },
    onlyOn: 'one server',
    readBy: 'ReaderIdsRepository',
    reason: 'Some statements insert readers without their row in `reader_user`.',
  },
  {
    name: 'announce_removed_reader',
    text: `perform pg_notify('gatefold_reader_removed', old.user_id);`,
    triggers: { reader_user_deleted: `after delete on reader_user for each row` },
    readBy: 'ReaderIdsRepository',
    reason: 'Every process remembers the ids of readers.',
  },
  {
    name: 'want_news_events',
    text: `(subtypes text[]) returns void language plpgsql as $$
      begin
        delete from news_event_wish where subtype <> all(subtypes);
        insert into news_event_wish select unnest(subtypes) on conflict do nothing;
        delete from apps_listening where not subtypes && array['ItemsDeliveredEvent', '*'];
        insert into apps_listening select true where subtypes && array['ItemsDeliveredEvent', '*']
            on conflict do nothing;
      end $$`,
    readBy: 'note_feed',
    reason:
      'Offered to app-api: the subtypes that enabled apps want, `*` for all. Statements that change items or store articles ask for them as well.',
    appliedBy: '0114-arrival',
  },
  {
    name: 'next_event_place',
    text: `(of_reader bigint) returns bigint language plpgsql as $$
      declare
        last bigint;
      begin
        select max(place) into last from news_event where reader_id = of_reader;
        return greatest(coalesce(last, 0), (extract(epoch from clock_timestamp()) * 1000000)::bigint)
               + 1;
      end $$`,
    readBy: 'note_feed',
    reason: 'An event stands after all recorded events of its reader.',
  },
  {
    name: 'note_feed',
    // Its statements run one after the other: the tables may be on different servers.
    text: `(of_reader bigint, feed_id bigint, of_source bigint, of_folder bigint, address text,
            own_title text, told text) returns void language plpgsql as $$
      declare
        next bigint;
        folder_name text;
        noted json;
      begin
        if not exists (select from news_event_wish where subtype in (told, '*')) then
          return;
        end if;
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
      end $$`,
    readBy: 'NewsEventsRepository',
    reason: 'An event of a feed, if an app wants it.',
  },
  {
    name: 'note_returned_items',
    text: `(of_reader bigint, feed_id bigint) returns void language plpgsql as $$
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
      end $$`,
    readBy: 'NewsEventsRepository',
    reason: 'The items of a feed come back when its removal is undone.',
  },
  NOTE_SUBSCRIPTION_EVENT,
  NOTE_FOLLOWER_EVENT,
  {
    name: 'note_source_health',
    text: `perform note_feed(f.reader_id, f.subscription_id, f.source_id, f.folder_id, f.url, f.title,
                          case when new.error_count > 0 or new.gone_at is not null
                               then 'FeedFailingEvent' else 'FeedRecoveredEvent' end)
           from follower f where f.source_id = new.id and f.deleted_at is null
            and exists (select from news_event_wish
                         where subtype in ('FeedFailingEvent', 'FeedRecoveredEvent', '*'));`,
    triggers: {
      source_health_changed: `after update of error_count, gone_at on source
        for each row when ((old.error_count > 0 or old.gone_at is not null)
                           <> (new.error_count > 0 or new.gone_at is not null))`,
    },
    readBy: 'note_feed',
    reason: 'Followers learn that a feed fails, or works again.',
  },
];
