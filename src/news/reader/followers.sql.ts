import type { SqlRunner } from '../../database/database.js';

/** A feed, and the user who has it. */
export interface FeedOwner {
  readonly feedId: number;
  readonly userId: string;
}

/** What an updater must know before it fetches a source on behalf of one feed. */
export interface UpdateRequest {
  readonly sourceId: number;
  /** Whether the source was fetched for another feed of this round, after this feed was served. */
  readonly askedSinceServed: boolean;
}

/** Every feed of every user, by id. */
export async function listOwners(runner: SqlRunner): Promise<FeedOwner[]> {
  return runner.query<FeedOwner>(
    `select s.id as "feedId", reader.user_id as "userId"
       from subscription s join reader on reader.id = s.reader_id
      where s.deleted_at is null
      order by s.id`,
  );
}

/** The feed that each of these readers has of a source. */
export async function listFeedsOfSource(
  runner: SqlRunner,
  sourceId: number,
  readerIds: readonly number[],
): Promise<{ readonly readerId: number; readonly feedId: number }[]> {
  return runner.query(
    `select reader_id as "readerId", id as "feedId" from subscription
      where source_id = $1 and reader_id = any($2::bigint[]) and deleted_at is null`,
    [sourceId, readerIds],
  );
}

/** An updater's round over all feeds of all users lasts no longer than this. */
const ROUND_SECONDS = 900;

export async function findUpdateRequest(
  runner: SqlRunner,
  userId: string,
  feedId: number,
): Promise<UpdateRequest | null> {
  const [request] = await runner.query<UpdateRequest>(
    `select s.source_id as "sourceId",
            coalesce(source.asked_at > coalesce(s.update_served_at, s.added_at)
                     and source.asked_at > now() - make_interval(secs => $3), false)
              as "askedSinceServed"
       from subscription s
       join reader on reader.id = s.reader_id
       join source on source.id = s.source_id
      where reader.user_id = $1 and s.id = $2 and s.deleted_at is null`,
    [userId, feedId, ROUND_SECONDS],
  );
  return request ?? null;
}

export async function noteUpdateServed(runner: SqlRunner, feedId: number): Promise<void> {
  await runner.query('update subscription set update_served_at = now() where id = $1', [feedId]);
}
