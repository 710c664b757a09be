import type { SqlRunner } from '../../database/database.js';

/** A source whose items come from requests instead of fetches, for one user. */
export interface GivenSource {
  readonly urlKey: Buffer;
  /** Looks like the address of a feed to clients, but leads nowhere. */
  readonly url: string;
  readonly title: string;
  readonly userId: string;
}

/** The user's feed of the source with this key, unless it is marked for deletion. */
export async function findGivenFeed(
  tx: SqlRunner,
  readerId: number,
  urlKey: Buffer,
): Promise<{ readonly feedId: number; readonly sourceId: number } | null> {
  const [feed] = await tx.query<{ feedId: number; sourceId: number }>(
    `select s.id as "feedId", source.id as "sourceId"
       from source join subscription s on s.source_id = source.id
      where source.url_key = $1 and s.reader_id = $2 and s.deleted_at is null`,
    [urlKey, readerId],
  );
  return feed ?? null;
}

/**
 * Creates the source anew, without a schedule. A former one, whose feed was deleted, goes with all its
 * articles: they would come back with the new feed.
 *
 * @returns its id
 */
export async function createGivenSource(
  tx: SqlRunner,
  readerId: number,
  { urlKey, url, title, userId }: GivenSource,
): Promise<number> {
  const former = await tx.query<{ id: number }>(
    'select id from source where url_key = $1 and given_to is not null',
    [urlKey],
  );
  for (const { id } of former) {
    await tx.query('delete from subscription where reader_id = $1 and source_id = $2', [
      readerId,
      id,
    ]);
    // Where it is a table, it refers to the source.
    await tx.query('delete from follower where reader_id = $1 and source_id = $2', [readerId, id]);
    await tx.query('delete from source where id = $1', [id]);
  }
  const [created] = await tx.query<{ id: number }>(
    `insert into source (url, url_key, title, given_to, fetched_at)
     values ($1, $2, $3, $4, now()) returning id`,
    [url, urlKey, title, userId],
  );
  if (created === undefined) {
    throw new Error(`The source of added items of ${userId} was not created`);
  }
  return created.id;
}

/** By source_given_to_index, with all articles; those that are followed stay. */
export async function deleteGivenSources(runner: SqlRunner, userId: string): Promise<void> {
  await runner.query(
    `delete from source where given_to = $1
        and not exists (select 1 from follower where source_id = source.id)`,
    [userId],
  );
}

/** Items of a feed by the guids of their articles, in any order; filtered ones included. */
export async function listByGuids(
  runner: SqlRunner,
  readerId: number,
  { feedId, sourceId }: { readonly feedId: number; readonly sourceId: number },
  guidHashes: readonly string[],
): Promise<{ readonly id: number; readonly guidHash: string }[]> {
  const articles = await runner.query<{ id: number; guidHash: string }>(
    `select id, encode(guid_hash, 'hex') as "guidHash" from article
      where source_id = $1
        and guid_hash in (select decode(hash, 'hex') from unnest($2::text[]) as wanted (hash))`,
    [sourceId, guidHashes],
  );
  return runner.query(
    `select item.id, article.guid_hash as "guidHash"
       from unnest($3::bigint[], $4::text[]) as article (id, guid_hash)
       join item on item.reader_id = $1 and item.subscription_id = $2
                and item.article_id = article.id`,
    [readerId, feedId, articles.map(({ id }) => id), articles.map(({ guidHash }) => guidHash)],
  );
}
