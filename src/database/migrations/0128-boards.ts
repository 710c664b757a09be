import { RollingMigration } from './kinds.js';

/**
 * Boards of groups. A board is a feed of a group's folder, and goes with it. Its articles are those of a source that is
 * not fetched; what belongs to the article of an entry stands here, so that it can be written again.
 */
export class Migration0128Boards extends RollingMigration {
  override name = '0128-boards';
  readonly locks = {
    account: 'share row exclusive',
    group_folder_feed: 'share row exclusive',
  };

  override up(): void {
    this.addSql(`
      create table board (
        id bigint generated always as identity primary key,
        feed_id bigint not null constraint board_feed_id_unique unique
          references group_folder_feed (id) on delete cascade,
        source_id bigint not null constraint board_source_id_unique unique
      );
      create table board_entry (
        id bigint generated always as identity primary key,
        board_id bigint not null references board (id) on delete cascade,
        -- SHA-256 of the link, or of what identifies an article without one.
        link_hash bytea not null,
        title text,
        url text,
        -- Plus one with every change of who has added it.
        rev bigint not null default 1,
        constraint board_entry_board_id_link_hash_unique unique (board_id, link_hash)
      );
      create table board_addition (
        id bigint generated always as identity primary key,
        entry_id bigint not null references board_entry (id) on delete cascade,
        -- Null: the account is gone.
        user_id text references account (user_id) on delete set null,
        -- Of the account, when it was added.
        name text not null,
        note text not null,
        added_at timestamptz not null default now(),
        constraint board_addition_entry_id_user_id_unique unique (entry_id, user_id)
      );
      create index board_addition_user_id_index on board_addition (user_id);
    `);
  }
}
