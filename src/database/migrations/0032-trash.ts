import { Migration } from '@mikro-orm/migrations';

/** The trash: deleted trees that their user can restore. */
export class Migration0032Trash extends Migration {
  override name = '0032-trash';

  override up(): void {
    this.addSql(`
      -- A deleted file or folder. Its node has neither user nor parent nor name, so no path leads to it.
      create table file_trash (
        root_id bigint primary key references file_node (id) on delete cascade,
        user_id text not null references account (user_id) on delete cascade,
        name text collate "C" not null,
        -- The folder it was in, which may have moved or disappeared since.
        folder_id bigint not null,
        -- Names from the top folder down to that folder, at the time of the deletion.
        folder_path text[] not null,
        deleted_seconds bigint not null,
        size_bytes bigint not null,
        -- Its own node included.
        node_count bigint not null
      );
      create index file_trash_user_id_index on file_trash (user_id, deleted_seconds, root_id);
      create index file_trash_deleted_seconds_index on file_trash (deleted_seconds);
    `);
  }
}
