import { Migration } from '@mikro-orm/migrations';

/** Counters and deletion queues for large trees and accounts. */
export class Migration0022Bounds extends Migration {
  override name = '0022-bounds';

  override up(): void {
    this.addSql(`
      -- How many files and folders are below a folder.
      alter table file_node add column node_count bigint not null default 0;

      -- Not through the trigger, which looks for content that lost its last file: none does here.
      alter table file_node disable trigger file_node_updated;
      with recursive up as (
        select parent_id from file_node where parent_id is not null
        union all
        select p.parent_id from up join file_node p on p.id = up.parent_id
         where p.parent_id is not null
      )
      update file_node n set node_count = below.nodes
        from (select parent_id, count(*) as nodes from up group by parent_id) below
       where n.id = below.parent_id;
      alter table file_node enable trigger file_node_updated;

      -- A tree that its user removed, and that is too large to go in one transaction. Its top node
      -- has neither user nor parent, so no path leads there.
      alter table file_node alter column user_id drop not null;
      create table file_removal (
        root_id bigint primary key references file_node (id) on delete cascade,
        user_id text not null references account (user_id) on delete cascade,
        -- Its own top node included.
        node_count bigint not null
      );
      create index file_removal_user_id_index on file_removal (user_id);

      -- New articles since the day began, of which a publisher has a limited number.
      alter table source
        add column day_began_at timestamptz not null default now(),
        add column day_articles int not null default 0;

      -- What the marker in the folder with the contents of files holds; null before there was one.
      alter table installation add column files_marker text;

      alter table conversation add column message_count bigint not null default 0;
      update conversation c set message_count =
        (select count(*) from chat_message m where m.conversation_id = c.id);

      -- Set when the account is to be deleted: what belongs to it goes in batches, its row last.
      alter table account add column deletion_requested_at timestamptz;
      create index account_deletion_requested_at_index on account (deletion_requested_at)
        where deletion_requested_at is not null;
    `);
  }
}
