import { DeliveryService } from '../../src/news/reader/delivery/delivery.service.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { readerOf } from '../../test/support/reader-of.js';
import type { TestApp, TestUser } from '../../test/support/start-app.js';

/** Varied enough that bodies compress like prose. */
export const PROSE = Array.from({ length: 400 }, (_, n) => `word${(n * 7919) % 1009}`).join(' ');

/** Calls `insertItems`, and lets the service update the sources' followers and deliver the items. */
export async function seedItems(
  app: TestApp,
  user: TestUser,
  feeds: number,
  itemsPerFeed: number,
): Promise<void> {
  const query = async (sql: string, params: readonly unknown[] = []) =>
    app.database.query(sql, params);
  await insertItems(query, user.credentials.userId, feeds, itemsPerFeed);
  const reader = await readerOf(app, user.credentials.userId);
  await app.inside(ReadersRepository).change(reader, async () => {});
  await app.inside(DeliveryService).deliverTo(reader);
}

/**
 * Inserts sources with articles of about 4 kB and subscribes the user to all of them. The service
 * delivers the items with the next list.
 */
export async function insertItems(
  query: (sql: string, params?: readonly unknown[]) => Promise<unknown>,
  userId: string,
  feeds: number,
  itemsPerFeed: number,
): Promise<void> {
  await query(
    `insert into source (url, url_key, title, rev, fetched_at)
     select 'https://publisher.example/' || n, decode(md5(n::text), 'hex'), 'Feed ' || n, 1, now()
       from generate_series(1, $1) n`,
    [feeds],
  );
  await query(
    `insert into source_schedule (source_id, host_key, due_at)
     select id, 'publisher.example', now() + interval '1 hour' from source`,
  );
  await query(
    `insert into article (source_id, guid, guid_hash, fingerprint, content_hash, first_rev, rev,
                          title, author, url, pub_date_seconds, rtl)
     select source.id, guid, decode(md5(guid), 'hex'), decode(md5(guid), 'hex'),
            decode(md5(guid), 'hex'), 1, 1, 'Title of ' || guid, 'Author', guid, 1790000000 + n, false
       from generate_series(1, $1) n, source,
            lateral (select source.url || '/' || n as guid) as identity
      order by n, source.id`,
    [itemsPerFeed],
  );
  // Passed as records: the compared version may have fewer columns.
  await query(
    `insert into article_body
     select (jsonb_populate_record(null::article_body, jsonb_build_object(
               'article_id', id, 'source_id', source_id,
               'html', '<p>' || id || ' ' || $1::text || '</p>'))).*
       from article`,
    [PROSE],
  );
  await query(
    `insert into reader (user_id) select $1
      where not exists (select from reader_user where user_id = $1)`,
    [userId],
  );
  // On one server, a trigger does this.
  await query(
    `insert into reader_user (user_id, reader_id) select user_id, id from reader where user_id = $1
     on conflict do nothing`,
    [userId],
  );
  await query(
    `insert into subscription (reader_id, source_id, url, delivered_rev)
     select reader_id, source.id, source.url, 0
       from reader_user cross join source where user_id = $1 order by source.id`,
    [userId],
  );
}
