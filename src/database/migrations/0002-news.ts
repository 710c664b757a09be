import { Migration } from '@mikro-orm/migrations';

/**
 * The feed reader. Sources and articles are shared by all users; rows per user are narrow. See
 * docs/decisions/0004-items-are-delivered-under-a-lock.md.
 */
export class Migration0002News extends Migration {
  override name = '0002-news';

  override up(): void {
    this.addSql(`
      -- A user as the feed reader knows them. Locking this row is what puts a user's changes in
      -- order: ids and last-modified stamps are taken from it and committed with it.
      create table reader (
        id bigint generated always as identity primary key,
        user_id text not null,
        next_item_id bigint not null default 1,
        last_modified_micros bigint not null default 0,
        constraint reader_user_id_unique unique (user_id)
      ) with (fillfactor = 50);

      create table folder (
        id bigint generated always as identity primary key,
        reader_id bigint not null references reader (id) on delete cascade,
        name text not null,
        -- Marked for deletion: hidden at once, removed by before-update.
        deleted_at timestamptz
      );
      create unique index folder_reader_id_name_unique on folder (reader_id, name) where deleted_at is null;

      create table icon (
        id bigint generated always as identity primary key,
        content_hash bytea not null,
        mime text not null,
        bytes bytea not null,
        constraint icon_content_hash_unique unique (content_hash)
      );

      -- A publisher's document, fetched once for everybody who subscribed to it.
      create table source (
        id bigint generated always as identity primary key,
        -- sha256 of the normalised address and, when it has credentials, of those too
        url_key bytea not null,
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
        -- When the publisher was last asked because an updater wanted it.
        asked_at timestamptz,
        error_count int not null default 0,
        last_error text,
        largest_document int not null default 0,
        icon_id bigint references icon (id),
        icon_url text,
        icon_checked_at timestamptz,
        constraint source_url_key_unique unique (url_key)
      );

      -- Which articles the latest document held. Beside source, because it is long and only
      -- ingest, new subscriptions and the clean-up look at it.
      create table source_document (
        source_id bigint primary key references source (id) on delete cascade,
        body_hash bytea not null,
        article_ids bigint[] not null
      );

      -- When a source is fetched next. A lease moves the due date, so a crash means a retry.
      create table source_schedule (
        source_id bigint primary key references source (id) on delete cascade,
        host_key text not null,
        due_at timestamptz not null,
        lease_token uuid
      ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01);
      create index source_schedule_due_at_index on source_schedule (due_at);

      create table host_state (
        host_key text primary key,
        -- The first moment nobody has reserved yet, and where the latest reservation began.
        next_slot_at timestamptz not null,
        previous_slot_at timestamptz,
        -- The host asked not to be called before this.
        not_before timestamptz,
        -- A host of one's own network, which needs no distance between calls.
        unspaced boolean not null default false
      );

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
        constraint article_source_id_guid_hash_unique unique (source_id, guid_hash)
      );
      create index article_source_id_rev_index on article (source_id, rev);

      -- Apart from article, so that lists of flags and dates never read bodies.
      create table article_body (
        article_id bigint primary key references article (id) on delete cascade,
        html text not null
      );

      create table subscription (
        id bigint generated always as identity primary key,
        reader_id bigint not null references reader (id) on delete cascade,
        source_id bigint not null references source (id),
        folder_id bigint references folder (id) on delete cascade,
        url text not null,
        -- What the user called it; null follows the publisher's title.
        title text,
        ordering smallint not null default 0,
        pinned boolean not null default false,
        added_at timestamptz not null default now(),
        -- The source's revision up to which articles were delivered; -1 before the first delivery.
        delivered_rev bigint not null default -1,
        -- When an updater's request for this subscription was last served.
        update_served_at timestamptz,
        deleted_at timestamptz,
        constraint subscription_reader_id_source_id_unique unique (reader_id, source_id)
      );
      create index subscription_source_id_index on subscription (source_id);
      create index subscription_folder_id_index on subscription (folder_id);

      -- One user's view of one article: 4 flags and a stamp. Ids count per user and are never reused.
      create table item (
        reader_id bigint not null references reader (id) on delete cascade,
        id bigint not null,
        subscription_id bigint not null references subscription (id) on delete cascade,
        article_id bigint not null,
        last_modified_micros bigint not null,
        unread boolean not null,
        starred boolean not null default false,
        filtered boolean not null default false,
        constraint item_pkey primary key (reader_id, id),
        constraint item_subscription_id_article_id_unique unique (subscription_id, article_id)
      );
      create index item_reader_id_last_modified_micros_index on item (reader_id, last_modified_micros);
      create index item_unread_index on item (reader_id, id) include (subscription_id) where unread;
      create index item_starred_index on item (reader_id, id) where starred;

      -- Work that one process does for all of them, now and then.
      create table housekeeping (
        task text primary key,
        done_at timestamptz not null
      );
    `);
  }
}
