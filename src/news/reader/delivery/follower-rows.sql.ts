import type { SqlRunner } from '../../../database/database.js';

const COLUMNS =
  'subscription_id, reader_id, source_id, folder_id, url, title, fetch_every_hours, full_text, deleted_at';

/** Makes the followers of sources those that the reader's subscriptions say. */
export async function copyFollowers(tx: SqlRunner, readerId: number): Promise<void> {
  await tx.query(
    `with feed as materialized (select id from subscription where reader_id = $1)
     delete from follower where reader_id = $1 and subscription_id not in (select id from feed)`,
    [readerId],
  );
  await tx.query(
    `with feed as materialized (
       select id, reader_id, source_id, folder_id, url, title, fetch_every_hours, full_text, deleted_at
         from subscription where reader_id = $1
     )
     insert into follower as known (${COLUMNS}) select * from feed
     on conflict (subscription_id) do update
        set (${COLUMNS}) = (select excluded.*)
      where known.* is distinct from excluded.*`,
    [readerId],
  );
  await tx.query(
    `with former as materialized (
       select subscription_id, source_id from former_source where reader_id = $1
     )
     delete from former_follower where reader_id = $1
        and (subscription_id, source_id) not in (select subscription_id, source_id from former)`,
    [readerId],
  );
  await tx.query(
    `with former as materialized (
       select subscription_id, reader_id, source_id from former_source where reader_id = $1
     )
     insert into former_follower (subscription_id, reader_id, source_id) select * from former
     on conflict do nothing`,
    [readerId],
  );
}
