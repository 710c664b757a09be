import type { SqlRunner } from '../../database/database.js';

/** A feed, and the user who has it. */
export interface FeedOwner {
  readonly feedId: number;
  readonly userId: string;
}

/** Every feed of every user, by id. */
export async function listOwners(runner: SqlRunner): Promise<FeedOwner[]> {
  return runner.query<FeedOwner>(
    `select s.subscription_id as "feedId", reader_user.user_id as "userId"
       from follower s join reader_user on reader_user.reader_id = s.reader_id
      where s.deleted_at is null
      order by s.subscription_id`,
  );
}

/** The feed that each of these readers has of a source. */
export async function listFeedsOfSource(
  runner: SqlRunner,
  sourceId: number,
  readerIds: readonly number[],
): Promise<{ readonly readerId: number; readonly feedId: number }[]> {
  return runner.query(
    `select reader_id as "readerId", subscription_id as "feedId" from follower
      where source_id = $1 and reader_id = any($2::bigint[]) and deleted_at is null`,
    [sourceId, readerIds],
  );
}
