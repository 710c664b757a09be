import { RollingMigration } from './kinds.js';

/**
 * Folders of groups, whose feeds each member has as rows of their own. What a member has been given stands beside
 * the groups, without a key to the folder: it is compared with what the member should have.
 */
export class Migration0125GroupFolders extends RollingMigration {
  override name = '0125-group-folders';
  readonly locks = {
    account: 'share row exclusive',
    account_group: 'share row exclusive',
    folder: 'access exclusive',
    source: 'share row exclusive',
    subscription: 'access exclusive',
  };

  override up(): void {
    this.addSql(`
      create table group_folder (
        id bigint generated always as identity primary key,
        group_id text collate "C" not null references account_group (group_id) on delete cascade,
        name text not null,
        -- Plus one with every change of the folder or its feeds.
        rev bigint not null default 1,
        created_at timestamptz not null default now()
      );
      create index group_folder_group_id_index on group_folder (group_id);
      create table group_folder_feed (
        id bigint generated always as identity primary key,
        folder_id bigint not null references group_folder (id) on delete cascade,
        source_id bigint not null references source (id),
        -- Without credentials, which the source has, sealed.
        url text not null,
        is_mandatory boolean not null default false,
        constraint group_folder_feed_folder_id_source_id_unique unique (folder_id, source_id)
      );
      create index group_folder_feed_source_id_index on group_folder_feed (source_id);
      create table group_folder_editor (
        folder_id bigint references group_folder (id) on delete cascade,
        user_id text references account (user_id) on delete cascade,
        primary key (folder_id, user_id)
      );
      create index group_folder_editor_user_id_index on group_folder_editor (user_id);
      create table group_folder_member (
        user_id text references account (user_id) on delete cascade,
        folder_id bigint,
        rev bigint not null,
        primary key (user_id, folder_id)
      );
      create index group_folder_member_folder_id_index on group_folder_member (folder_id);
      alter table folder
        add column group_folder_id bigint,
        add column given_name text,
        add column kept_until timestamptz;
      alter table subscription
        add column group_feed_id bigint,
        add column is_mandatory boolean not null default false,
        add column is_own boolean not null default true,
        add column kept_until timestamptz;
    `);
  }
}
