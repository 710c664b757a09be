import { Migration } from '@mikro-orm/migrations';

/**
 * The feed reader. Sources and articles are shared by all users; rows per user are narrow. See
 * docs/decisions/0004-items-are-delivered-under-a-lock.md, 0072-readers-distributed.md and
 * 0073-articles-distributed.md.
 */
export class Migration0105News extends Migration {
  override name = '0105-news';

  override up(): void {
    this.addSql(`
      -- Distances between requests to a host.
      create table host_state (
        host_key text primary key,
        -- The first moment that is not reserved, and the begin of the latest reservation.
        next_slot_at timestamptz not null,
        previous_slot_at timestamptz,
        -- The host asked for no requests before this.
        not_before timestamptz,
        -- A host of the own network needs no distance between requests.
        unspaced boolean not null default false,
        not_before_set_at timestamptz not null default now()
      );

      -- Sources whose articles, which may be on other servers, are still to be removed.
      create table removed_source (source_id bigint primary key);

      create table icon (
        id bigint generated always as identity primary key,
        content_hash bytea not null constraint icon_content_hash_unique unique,
        mime text not null,
        bytes bytea not null
      );

      -- A publisher's document, fetched once for all its subscribers.
      create table source (
        id bigint generated always as identity primary key,
        -- sha256 of the normalised address and, when it has credentials, of those too
        url_key bytea not null constraint source_url_key_unique unique,
        url text not null,
        title text not null default '',
        link text,
        -- Plus one with every ingest that changed an article. Written only under this row's lock,
        -- so the order of revisions is the order of commits.
        rev bigint not null default 0,
        -- The validators of one and the same response.
        etag text,
        last_modified text,
        fetched_at timestamptz,
        -- When an updater last caused a request.
        asked_at timestamptz,
        error_count int not null default 0,
        last_error text,
        largest_document int not null default 0,
        icon_id bigint references icon (id),
        icon_url text,
        icon_checked_at timestamptz,
        -- Address after a permanent move. Null: fetched from url, which stays the identity.
        effective_url text,
        -- An announced move, not yet confirmed often enough.
        moving_to text,
        moving_since timestamptz,
        moving_sightings int not null default 0,
        -- The publisher declared the feed permanently gone.
        gone_at timestamptz,
        -- Consecutive answers without a document because nothing had changed.
        not_modified_in_row int not null default 0,
        -- Statements of the last document about when it is published.
        publishing_hints jsonb,
        -- The revision up to which articles are in the search index; null while nobody searches.
        search_rev bigint,
        -- The address as shown, without user name, password and query (shown-address.ts), for search and order.
        shown_address text generated always as
          (regexp_replace(regexp_replace(url, '^([^/?#]*//)[^/?#]*@', '\\1'), '\\?.+$', '?…')) stored,
        -- Damaged or omitted parts of the last document. Null: it was read whole.
        warning text,
        -- New articles of the current day are limited.
        day_began_at timestamptz not null default now(),
        day_articles int not null default 0,
        -- User name, password, user agent and cookie, sealed with the secret key; null: none. Part of
        -- url_key, so that only users who have them share the source.
        access bytea,
        -- The app of a source without schedule, whose items come from requests and which is never fetched.
        given_to text,
        -- What makes an item itself; can be set per feed.
        item_rule text not null default 'automatic'
      );
      create index source_to_index_for_search_index on source (id) where rev > search_rev;
      create index source_error_count_index on source (error_count desc, id);
      -- Shortened, since an index takes no long texts and titles have any length.
      create index source_shown_name_index
        on source (lower(left(coalesce(nullif(title, ''), shown_address), 100)), id);
      create index source_given_to_index on source (given_to) where given_to is not null;

      -- Articles of the latest document. Beside source, since it is long, and only ingest, new
      -- subscriptions and the clean-up read it.
      create table source_document (
        source_id bigint primary key references source (id) on delete cascade,
        body_hash bytea not null,
        article_ids bigint[] not null,
        -- Time of the last change of the list.
        listed_at timestamptz not null default now(),
        recent_pub_dates bigint[] not null default '{}'
      );

      -- Time of the next fetch. A lease moves it, so a crash leads to a retry.
      create table source_schedule (
        source_id bigint primary key references source (id) on delete cascade,
        host_key text not null,
        due_at timestamptz not null,
        lease_token uuid,
        -- A fetch was requested during the current one: due again right after it.
        wanted_again boolean not null default false,
        -- The database's time when due_at was set. In the future: the clock was ahead, and due_at is as
        -- much too late.
        set_at timestamptz not null default now(),
        -- The publisher asked for no requests before this, also by users.
        rests_until timestamptz
      ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01);
      create index source_schedule_due_at_index on source_schedule (due_at);

      create table fetch_attempt (
        id bigint generated always as identity primary key,
        source_id bigint not null references source (id) on delete cascade,
        at timestamptz not null default now(),
        outcome text not null,
        -- Null without an answer.
        status smallint,
        duration_ms int,
        bytes int,
        new_items int not null default 0,
        changed_items int not null default 0,
        -- The error, and the reason of due_at.
        message text,
        decision text not null,
        due_at timestamptz not null
      );
      create index fetch_attempt_source_id_index on fetch_attempt (source_id, id);
      -- For statistics of all sources over a period.
      create index fetch_attempt_at_index on fetch_attempt (at);

      -- The last unreadable document, compressed, and truncated at a limit.
      create table failed_document (
        source_id bigint primary key references source (id) on delete cascade,
        at timestamptz not null default now(),
        message text not null,
        content_type text,
        byte_count int not null,
        gzipped bytea not null
      );

      -- Subscriptions at WebSub hubs.
      create table websub_lease (
        -- In the callback's address; cannot be guessed.
        callback_id text primary key,
        -- Null once nobody follows the source; the hub is then told to stop.
        source_id bigint constraint websub_lease_source_id_unique unique
          references source (id) on delete set null,
        hub_url text not null,
        topic_url text not null,
        secret text,
        state text not null check (state in ('wanted', 'asked', 'active', 'refused', 'leaving')),
        expires_at timestamptz,
        next_step_at timestamptz not null default now(),
        failures int not null default 0,
        last_call_at timestamptz,
        -- Sealed with the secret key; secret is null then.
        secret_sealed bytea
      );
      create index websub_lease_next_step_at_index on websub_lease (next_step_at);

      -- Addresses of sites' icons, each looked up once for all feeds of the site.
      create table icon_place (
        key bytea primary key,
        due_at timestamptz not null,
        icon_id bigint references icon (id) on delete cascade,
        icon_url text
      );
      create index icon_place_icon_id_index on icon_place (icon_id);

      create table article (
        id bigint generated always as identity primary key,
        source_id bigint not null references source (id) on delete cascade,
        guid text not null,
        guid_hash bytea not null,
        fingerprint bytea not null,
        content_hash bytea not null,
        -- The source's revision that brought the article, and the one that changed it last.
        first_rev bigint not null,
        rev bigint not null,
        title text,
        author text,
        url text,
        pub_date_seconds bigint not null,
        updated_date_seconds bigint,
        enclosure_mime text,
        enclosure_link text,
        media_thumbnail text,
        media_description text,
        rtl boolean not null,
        fetched_at timestamptz not null default now(),
        -- The source's revision that brought the text of the page. Apart from rev, since only those
        -- who see that text are to notice.
        full_text_rev bigint,
        -- MD5 of the guid or link that the publisher wrote; null where it is the same as guid_hash.
        key_hash bytea,
        -- Title, own date, body and link, 8 bytes of the MD5 of each. Null where it is not compared.
        evidence bytea,
        -- The source's revision at which the document ceased to list the article; 0 while it never did.
        unlisted_rev bigint not null default 0,
        -- Further files, links to comments and chapters, tags; few articles have any.
        extras jsonb,
        text_rev bigint,
        constraint article_source_id_guid_hash_unique unique (source_id, guid_hash)
      );
      create index article_source_id_rev_index on article (source_id, rev);
      create index article_source_id_full_text_rev_index on article (source_id, full_text_rev)
        where full_text_rev is not null;
      create index article_source_id_key_hash_index on article (source_id, key_hash)
        where key_hash is not null;

      -- Apart from article, so that lists of flags and dates never read bodies.
      create table article_body (
        article_id bigint references article (id) on delete cascade,
        source_id bigint,
        html text not null,
        full_text_html text,
        primary key (article_id, source_id)
      );

      -- Unless PostgreSQL was built without it.
      do $do$ begin
        alter table article_body alter column html set compression lz4,
                                 alter column full_text_html set compression lz4;
      exception when feature_not_supported then null;
      end $do$;

      create table article_search (
        article_id bigint references article (id) on delete cascade,
        source_id bigint,
        tsv tsvector not null,
        primary key (article_id, source_id)
      );
      create index article_search_tsv_index on article_search using gin (tsv);

      -- Articles that retention removed. Listed again by their publisher, they come back under the
      -- revision they had, which lies below every watermark they were delivered under.
      create table article_tombstone (
        source_id bigint references source (id) on delete cascade,
        guid_hash bytea,
        first_rev bigint not null,
        key_hash bytea,
        -- Null for articles removed by a former version.
        evidence bytea,
        unlisted_rev bigint not null default 0,
        -- Only of articles with a key_hash; else it is the key of the item that is listed again.
        guid text,
        buried_at timestamptz not null default now(),
        primary key (source_id, guid_hash)
      );
      create index article_tombstone_source_id_key_hash_index on article_tombstone (source_id, key_hash)
        where key_hash is not null;

      -- Sources with a subscriber who wants full text, and the revision up to which pages were planned.
      create table full_text_source (
        source_id bigint primary key references source (id) on delete cascade,
        planned_rev bigint not null
      );

      -- Pages of articles, each requested at due_at; null: not needed. Without foreign key to articles:
      -- retention deletes the pages of the articles that it removes.
      create table full_text_page (
        article_id bigint primary key,
        source_id bigint not null references full_text_source (source_id) on delete cascade,
        url text not null,
        host_key text not null,
        due_at timestamptz,
        failures int not null default 0,
        asked_at timestamptz,
        lease_token uuid
      );
      create index full_text_page_due_at_index on full_text_page (due_at) where due_at is not null;
      create index full_text_page_source_id_index on full_text_page (source_id);

      -- A user of the feed reader. The lock on this row puts a user's changes in order: ids and
      -- last-modified stamps are taken from it and committed with it.
      create table reader (
        id bigint generated by default as identity primary key,
        user_id text not null constraint reader_user_id_unique unique,
        next_item_id bigint not null default 1,
        last_modified_micros bigint not null default 0,
        -- Until when a process watches this user's changes; null: none. Unwatched changes are not
        -- announced, and cost nothing.
        watched_until timestamptz,
        counted_micros bigint not null default 0,
        -- Whether date_seconds of all items is that of the article.
        items_dated boolean not null default true
      ) with (fillfactor = 50);
      create index reader_to_date_index on reader (id) where not items_dated;

      -- The reader of a user. Beside reader, since a distributed table has no unique names. See
      -- docs/decisions/0072-readers-distributed.md.
      create table reader_user (
        user_id text primary key,
        reader_id bigint not null constraint reader_user_reader_id_unique unique
          references reader (id) on delete cascade deferrable initially deferred,
        -- A copy of reader.watched_until, which is on another server when readers are distributed.
        watched_until timestamptz
      );
      create index reader_user_watched_until_index on reader_user (watched_until)
        where watched_until is not null;

      -- The programs of a user, and the stamp of the newest change that each knows.
      create table reader_client (
        reader_id bigint references reader (id) on delete cascade,
        client text,
        synchronised_micros bigint not null,
        seen_at timestamptz not null default now(),
        primary key (reader_id, client)
      );
      create index reader_client_seen_at_index on reader_client (seen_at);

      create table folder (
        id bigint generated always as identity primary key,
        reader_id bigint not null references reader (id) on delete cascade,
        name text not null,
        -- Marked for deletion: hidden at once, removed by before-update.
        deleted_at timestamptz
      );
      create unique index folder_reader_id_name_unique on folder (reader_id, name) where deleted_at is null;

      create table subscription (
        id bigint generated always as identity primary key,
        reader_id bigint not null references reader (id) on delete cascade,
        source_id bigint not null references source (id),
        folder_id bigint references folder (id) on delete cascade,
        url text not null,
        -- Title chosen by the user; null follows the publisher's.
        title text,
        ordering smallint not null default 0,
        pinned boolean not null default false,
        added_at timestamptz not null default now(),
        -- The source's revision up to which articles were delivered; -1 before the first delivery.
        delivered_rev bigint not null default -1,
        -- When an updater's request for this subscription was last served.
        update_served_at timestamptz,
        deleted_at timestamptz,
        -- Shows the text of the article's page in place of what the feed says.
        full_text boolean not null default false,
        -- Effect of a changed article on the flag unread: 0 leaves it, 1 sets it.
        update_mode smallint not null default 0 check (update_mode in (0, 1)),
        -- The source's revision at the first delivery. Null for feeds that are older than this column
        -- and for imported ones.
        started_rev bigint,
        unread_count int not null default 0,
        starred_count int not null default 0,
        -- Number of the newest items that the first delivery leaves unread; null: all, and afterwards.
        start_unread int,
        -- Hours between fetches that the user wants; null: as often as the feed publishes.
        fetch_every_hours smallint check (fetch_every_hours between 1 and 168),
        constraint subscription_reader_id_source_id_unique unique (reader_id, source_id)
      ) with (fillfactor = 80);
      create index subscription_source_id_index on subscription (source_id);
      create index subscription_folder_id_index on subscription (folder_id);
      create index subscription_full_text_index on subscription (source_id) where full_text;
      create index subscription_fetch_every_hours_index on subscription (source_id)
        include (fetch_every_hours) where fetch_every_hours is not null;

      -- Keywords as entered, separated by commas. Read and written under the reader's lock.
      create table subscription_filter (
        subscription_id bigint references subscription (id) on delete cascade,
        id bigint generated always as identity constraint subscription_filter_id_unique unique,
        title_keywords text not null,
        body_keywords text not null,
        url_keywords text not null,
        reader_id bigint,
        primary key (reader_id, subscription_id)
      );
      create index subscription_filter_subscription_id_index on subscription_filter (subscription_id);

      -- Sources of a feed before its address was changed: it keeps their items.
      create table former_source (
        subscription_id bigint references subscription (id) on delete cascade,
        source_id bigint references source (id),
        -- This and the next one: as they were in the subscription.
        delivered_rev bigint not null,
        started_rev bigint,
        reader_id bigint,
        primary key (reader_id, subscription_id, source_id)
      );
      create index former_source_source_id_index on former_source (source_id);
      create index former_source_subscription_id_index on former_source (subscription_id);

      -- An article in a user's list. Ids count per user and are never reused.
      create table item (
        reader_id bigint references reader (id) on delete cascade,
        id bigint,
        subscription_id bigint not null references subscription (id) on delete cascade,
        article_id bigint not null,
        last_modified_micros bigint not null,
        unread boolean not null,
        starred boolean not null default false,
        filtered boolean not null default false,
        -- Whether the article is older than those of items with lower ids.
        late boolean not null default false,
        -- A copy of the article's date, so that lists by date read this table only. See
        -- docs/decisions/0037-lists-by-date.md.
        date_seconds int not null default extract(epoch from now())::int,
        -- When the article was fetched, at most the last change of the item. Rises with the ids, since
        -- "arrived since" is looked up by id.
        arrived_micros bigint not null default (extract(epoch from now()) * 1000000)::bigint,
        primary key (reader_id, id),
        constraint item_subscription_id_article_id_unique unique (subscription_id, article_id)
      );
      create index item_reader_id_last_modified_micros_index on item (reader_id, last_modified_micros);
      create index item_unread_index on item (reader_id, id) include (subscription_id) where unread;
      create index item_starred_index on item (reader_id, id) where starred;
      create index item_late_index on item (subscription_id, id) where late;
      -- This and the next one include the reader, so that lists read the index only.
      create index item_date_index
        on item (subscription_id, unread, date_seconds, id) include (reader_id);
      create index item_starred_date_index
        on item (subscription_id, date_seconds, id) include (reader_id) where starred;

      create table label (
        id bigint generated always as identity primary key,
        reader_id bigint not null references reader (id) on delete cascade,
        name text not null,
        constraint label_reader_id_name_unique unique (reader_id, name)
      );

      create table item_label (
        reader_id bigint not null,
        item_id bigint,
        label_id bigint references label (id) on delete cascade,
        primary key (label_id, item_id),
        constraint item_label_item_fkey
          foreign key (reader_id, item_id) references item (reader_id, id) on delete cascade
      );
      create index item_label_item_index on item_label (reader_id, item_id);

      -- Articles that were listed again and that a feed lacks, since it began while they were not.
      create table late_delivery (
        subscription_id bigint references subscription (id) on delete cascade,
        article_id bigint references article (id) on delete cascade,
        since timestamptz not null default now(),
        primary key (subscription_id, article_id)
      );
      create index late_delivery_article_id_index on late_delivery (article_id);

      -- No foreign key to items: deleting items in bulk would look for each of them here. The number
      -- of rows per reader is limited.
      create table playback_position (
        reader_id bigint references reader (id) on delete cascade,
        item_id bigint,
        position_seconds int not null,
        -- Null while unknown.
        duration_seconds int,
        -- The device in words; empty if unknown.
        device text not null,
        listened_at timestamptz not null,
        primary key (reader_id, item_id)
      );

      -- Results of external apps about an article, for all its readers.
      create table article_assistance (
        id bigint generated always as identity primary key,
        article_id bigint not null references article (id) on delete cascade,
        -- translation, summary, topics, headline, transcript
        kind text not null,
        -- 'en>de', or '>de' with detection of the language; empty for other kinds
        languages text not null,
        -- Whether its input was the text of the article's page.
        full_text boolean not null,
        -- sha256 of the input: outdated if the present one differs.
        input_hash bytea not null,
        state text not null default 'running' check (state in ('running', 'done', 'failed')),
        result jsonb,
        -- Fit to be shown.
        error text,
        -- The requester; null once it is finished.
        user_id text,
        started_at timestamptz not null default now(),
        finished_at timestamptz,
        -- Per cent; null if the app does not report any.
        progress smallint,
        -- Started for new items, not asked for.
        automatic boolean not null default false,
        source_id bigint not null,
        constraint article_assistance_unique unique (article_id, kind, languages, full_text)
      );
      create index article_assistance_user_id_index on article_assistance (user_id)
        where user_id is not null;
      create index article_assistance_finished_at_index on article_assistance (finished_at);

      -- Tasks for new items of a feed or a folder. Null: as the folder has it.
      create table automatic_choice (
        id bigint generated always as identity primary key,
        reader_id bigint not null references reader (id) on delete cascade,
        subscription_id bigint references subscription (id) on delete cascade,
        folder_id bigint references folder (id) on delete cascade,
        -- The language that titles are translated to; empty: they are not.
        titles_to text,
        summarise boolean,
        -- Items with lower ids existed when it was switched on.
        titles_from_id bigint not null default 0,
        summaries_from_id bigint not null default 0,
        constraint automatic_choice_of_check check (num_nonnulls(subscription_id, folder_id) = 1),
        constraint automatic_choice_subscription_id_unique unique (reader_id, subscription_id),
        constraint automatic_choice_folder_id_unique unique (reader_id, folder_id)
      );
      create index automatic_choice_reader_id_index on automatic_choice (reader_id);
      create index automatic_choice_subscription_id_index on automatic_choice (subscription_id);
      create index automatic_choice_folder_id_index on automatic_choice (folder_id);

      -- Readers who made such a choice. Its row is the lock on the budget.
      create table automatic_reader (
        reader_id bigint primary key references reader (id) on delete cascade,
        -- Whether any choice is switched on.
        is_on boolean not null,
        -- Items up to these ids have been looked at.
        titles_done_id bigint not null default 0,
        summaries_done_id bigint not null default 0,
        -- Number of tasks started on that day.
        day date not null default current_date,
        used int not null default 0
      );

      -- Consecutive failures of a kind of task; after a few it pauses.
      create table automatic_pause (
        kind text primary key,
        failures int not null,
        paused_until timestamptz not null
      );

      -- Rows are moved to the queues of listeners at once. Without foreign key, whose check would make
      -- fetches wait for the locks of readers.
      create table news_event (
        id bigint generated always as identity,
        reader_id bigint,
        subtype text not null,
        -- At most 100; empty for events of feeds.
        item_ids bigint[] not null,
        -- The feed as it was; null for events of items.
        feed json,
        -- Above those of all recorded events of the reader; unix microseconds if they are older. The
        -- default is for processes of an earlier version.
        place bigint not null
          default (extract(epoch from clock_timestamp()) * 1000000)::bigint,
        primary key (reader_id, id)
      );
      create index news_event_id_index on news_event (id);
      create index news_event_place_index on news_event (place);

      -- The subtypes that any enabled app wants, '*' for all. A statement that changes items asks it, so
      -- that no app costs nothing, and a registration takes effect at once in all processes.
      create table news_event_wish (subtype text primary key);

      -- Periodic work that one process does for all.
      create table housekeeping (
        task text primary key,
        done_at timestamptz not null,
        note text
      );

      -- Followers of sources, as sources ask for them. Tables when readers are distributed.
      create view follower as
        select id as subscription_id, reader_id, source_id, folder_id, url, title, fetch_every_hours,
               full_text, deleted_at from subscription;
      create view former_follower as
        select subscription_id, reader_id, source_id from former_source;

      create function note_removed_sources() returns trigger language plpgsql as $$
      begin
        insert into removed_source (source_id) select id from gone;
        return null;
      end $$;
      create trigger source_removed after delete on source
        referencing old table as gone for each statement execute function note_removed_sources();

      -- For statements that insert readers without their row in reader_user.
      create function note_reader() returns trigger language plpgsql as $$
      begin
        insert into reader_user (user_id, reader_id) values (new.user_id, new.id)
            on conflict do nothing;
        return null;
      end $$;
      create function announce_removed_reader() returns trigger language plpgsql as $$
      begin
        perform pg_notify('gatefold_reader_removed', old.user_id);
        return null;
      end $$;
      create trigger reader_inserted after insert on reader
        for each row execute function note_reader();
      create trigger reader_user_deleted after delete on reader_user
        for each row execute function announce_removed_reader();

      create function note_news_event_wishes() returns trigger language plpgsql as $$
      declare
        wishes text[];
      begin
        -- One at a time: each must see what the others registered.
        perform pg_advisory_xact_lock(4706000000000069);
        select coalesce(array_agg(distinct coalesce(wanted.subtype, '*')), '{}') into wishes
          from ex_app_registration r
          join ex_app on ex_app.app_id = r.app_id and ex_app.enabled
          left join lateral json_array_elements_text(r.fields->'eventSubtypes') wanted (subtype)
            on true
         where r.kind = 'events_listener' and r.key = 'news_event';
        delete from news_event_wish where subtype <> all(wishes);
        insert into news_event_wish select unnest(wishes) on conflict do nothing;
        return null;
      end $$;
      create trigger news_event_listener_insert after insert on ex_app_registration
        for each row when (new.kind = 'events_listener' and new.key = 'news_event')
        execute function note_news_event_wishes();
      create trigger news_event_listener_update after update on ex_app_registration
        for each row when (new.kind = 'events_listener' and new.key = 'news_event')
        execute function note_news_event_wishes();
      create trigger news_event_listener_delete after delete on ex_app_registration
        for each row when (old.kind = 'events_listener' and old.key = 'news_event')
        execute function note_news_event_wishes();
      create trigger news_event_app_changed after update of enabled or delete on ex_app
        for each row execute function note_news_event_wishes();

      -- Triggers, since feeds come and go with folders, imports and undo.
      create function next_event_place(of_reader bigint) returns bigint language plpgsql as $$
      declare
        last bigint;
      begin
        select max(place) into last from news_event where reader_id = of_reader;
        return greatest(coalesce(last, 0), (extract(epoch from clock_timestamp()) * 1000000)::bigint)
               + 1;
      end $$;
      create function note_feed(of_reader bigint, feed_id bigint, of_source bigint, of_folder bigint,
                                address text, own_title text, told text)
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
      end $$;
      create function note_returned_items(of_reader bigint, feed_id bigint)
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
      end $$;
      create function note_subscription_event() returns trigger language plpgsql as $$
      declare
        feed subscription;
      begin
        feed := case when tg_op = 'DELETE' then old else new end;
        perform note_feed(feed.reader_id, feed.id, feed.source_id, feed.folder_id, feed.url, feed.title,
                          case when tg_op = 'DELETE' or feed.deleted_at is not null
                               then 'FeedRemovedEvent' else 'FeedAddedEvent' end);
        if tg_op = 'UPDATE' and new.deleted_at is null then
          perform note_returned_items(new.reader_id, new.id);
        end if;
        return null;
      end $$;
      create function note_source_health() returns trigger language plpgsql as $$
      begin
        perform note_feed(f.reader_id, f.subscription_id, f.source_id, f.folder_id, f.url, f.title,
                          case when new.error_count > 0 or new.gone_at is not null
                               then 'FeedFailingEvent' else 'FeedRecoveredEvent' end)
           from follower f where f.source_id = new.id and f.deleted_at is null
            and exists (select from news_event_wish
                         where subtype in ('FeedFailingEvent', 'FeedRecoveredEvent', '*'));
        return null;
      end $$;
      create trigger subscription_inserted after insert on subscription
        for each row when (new.deleted_at is null) execute function note_subscription_event();
      create trigger subscription_marked after update of deleted_at on subscription
        for each row when ((old.deleted_at is null) <> (new.deleted_at is null))
        execute function note_subscription_event();
      create trigger subscription_deleted after delete on subscription
        for each row when (old.deleted_at is null) execute function note_subscription_event();
      create trigger source_health_changed after update of error_count, gone_at on source
        for each row when ((old.error_count > 0 or old.gone_at is not null)
                           <> (new.error_count > 0 or new.gone_at is not null))
        execute function note_source_health();
    `);
  }
}
