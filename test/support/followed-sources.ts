import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { readerOf } from './reader-of.js';
import type { TestApp } from './start-app.js';

/** A source that nobody fetches, and a user's feed of it. */
export interface FollowedSource {
  readonly sourceId: number;
  readonly feedId: number;
  readonly folderId: number | null;
}

/**
 * Feeds of a user that have all articles which their sources will get. Every other one is in the folder,
 * and three of four show changed articles as unread.
 */
export async function followSources(
  app: Pick<TestApp, 'database' | 'inside'>,
  userId: string,
  count: number,
  folderId: number | null = null,
): Promise<FollowedSource[]> {
  const urls = Array.from({ length: count }, (_, n) => `${userId}/${n}`);
  const sources = await app.database.query<{ id: number }>(
    `insert into source (url, url_key) select url, decode(md5(url), 'hex') from unnest($1::text[]) as url
     returning id`,
    [urls],
  );
  const user = await readerOf(app, userId);
  const feeds = await app.inside(ReadersRepository).change(user, (tx, reader) =>
    tx.query<FollowedSource>(
      `insert into subscription (reader_id, source_id, url, delivered_rev, folder_id, update_mode)
       select $1, source_id, $2 || '/' || source_id, 0, folder_id, update_mode
         from unnest($3::bigint[], $4::bigint[], $5::int[])
           as wanted (source_id, folder_id, update_mode)
       returning id as "feedId", source_id as "sourceId", folder_id as "folderId"`,
      [
        reader.id,
        userId,
        sources.map(({ id }) => id),
        urls.map((_, n) => (n % 2 === 0 ? folderId : null)),
        urls.map((_, n) => (n % 4 === 0 ? 0 : 1)),
      ],
    ),
  );
  return feeds.toSorted((one, other) => one.feedId - other.feedId);
}

interface NewArticle {
  readonly guid: string;
  readonly title?: string;
  readonly pubDateSeconds?: number;
}

/** Stored articles whose ids modulo `every` are `nth`, and what is new of them. */
interface EditedArticles extends Omit<NewArticle, 'guid'> {
  readonly every: number;
  readonly nth: number;
}

/**
 * A new revision of a source, as an ingest writes it: in one transaction, whose articles are plain values.
 *
 * @see docs/decisions/0073-articles-distributed.md
 */
export async function publishArticles(
  app: Pick<TestApp, 'database' | 'inside'>,
  sourceId: number,
  articles: readonly NewArticle[],
  edited?: EditedArticles,
): Promise<void> {
  await app.database.transaction(async (tx) => {
    const [source] = await tx.query<{ rev: number }>(
      'update source set rev = rev + 1 where id = $1 returning rev',
      [sourceId],
    );
    if (edited !== undefined) {
      await tx.query(
        `update article set rev = $2, title = coalesce($3, title),
                            pub_date_seconds = coalesce($4, pub_date_seconds)
          where source_id = $1 and id % $5::int = $6`,
        [sourceId, source?.rev, edited.title, edited.pubDateSeconds, edited.every, edited.nth],
      );
    }
    const row = (_: NewArticle, n: number) => {
      const [guid, title, date] = [3, 4, 5].map((place) => `$${place + 3 * n}`);
      return `($1::bigint, ${guid}::text, decode(md5(${guid}), 'hex'), '', '', ${title}, $2::bigint, $2, ${date}, false)`;
    };
    await tx.query(
      `insert into article (source_id, guid, guid_hash, fingerprint, content_hash, title,
                            first_rev, rev, pub_date_seconds, rtl)
       values ${articles.map(row).join(', ')}`,
      [
        sourceId,
        source?.rev,
        ...articles.flatMap(({ guid, title = guid, pubDateSeconds = 0 }) => [
          guid,
          title,
          pubDateSeconds,
        ]),
      ],
    );
  });
}
