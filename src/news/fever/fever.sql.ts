import type { SqlRunner } from '../../database/database.js';

/** A feed as clients of this API see it. */
export interface FeverFeed {
  readonly id: number;
  /** Null is the root. */
  readonly folderId: number | null;
  /** The user's or the publisher's; may be empty. */
  readonly title: string;
  readonly url: string;
  /** The website. */
  readonly link: string | null;
  readonly iconId: number | null;
  /** Unix seconds of the latest fetch. */
  readonly fetchedSeconds: number | null;
}

export interface FeverIcon {
  readonly id: number;
  readonly mime: string;
  readonly base64: string;
}

/** By title; reads the reader's subscriptions. */
export async function listFeeds(runner: SqlRunner, readerId: number): Promise<FeverFeed[]> {
  return runner.query<FeverFeed>(
    `select s.id, s.folder_id as "folderId", coalesce(s.title, source.title) as title, s.url,
            source.link, source.icon_id as "iconId",
            floor(extract(epoch from source.fetched_at))::bigint as "fetchedSeconds"
       from subscription s
       join source on source.id = s.source_id
      where s.reader_id = $1 and s.deleted_at is null
      order by lower(coalesce(s.title, source.title)), s.id`,
    [readerId],
  );
}

/** Unix seconds of the latest fetch of one of the user's feeds; 0 without any. */
export async function latestFetchSeconds(runner: SqlRunner, readerId: number): Promise<number> {
  const [row] = await runner.query<{ seconds: number }>(
    `select coalesce(floor(extract(epoch from max(source.fetched_at))), 0)::bigint as seconds
       from subscription s
       join source on source.id = s.source_id
      where s.reader_id = $1 and s.deleted_at is null`,
    [readerId],
  );
  return row?.seconds ?? 0;
}

/**
 * The icons of a user's feeds, by id, with their sizes, which are read without the icons themselves.
 *
 * @param largestBytes icons above it are left out
 */
export async function listIcons(
  runner: SqlRunner,
  readerId: number,
  largestBytes: number,
): Promise<{ readonly id: number; readonly bytes: number }[]> {
  return runner.query(
    `select icon.id, octet_length(icon.bytes) as bytes
       from icon
      where octet_length(icon.bytes) between 1 and $2
        and icon.id in (select source.icon_id
                          from subscription s
                          join source on source.id = s.source_id
                         where s.reader_id = $1 and s.deleted_at is null)
      order by icon.id`,
    [readerId, largestBytes],
  );
}

export async function readIcons(runner: SqlRunner, ids: readonly number[]): Promise<FeverIcon[]> {
  return runner.query<FeverIcon>(
    `select id, mime, translate(encode(bytes, 'base64'), E'\\n', '') as base64
       from icon where id = any($1::bigint[]) order by id`,
    [ids],
  );
}
