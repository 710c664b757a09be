import type { TestApp, TestUser } from '../test/support/start-app.js';
import { DeliveryService } from '../src/news/reader/delivery/delivery.service.js';

/** Words enough that bodies compress as prose does. */
const PROSE = Array.from({ length: 400 }, (_, n) => `word${(n * 7919) % 1009}`).join(' ');

/**
 * Sources with articles of about 4 kB straight into the tables, then subscriptions, delivered by
 * the service itself.
 */
export async function seedItems(
  app: TestApp,
  user: TestUser,
  feeds: number,
  itemsPerFeed: number,
): Promise<void> {
  const { database } = app;
  await database.query(
    `insert into source (url, url_key, title, rev, fetched_at)
     select 'https://publisher.example/' || n, decode(md5(n::text), 'hex'), 'Feed ' || n, 1, now()
       from generate_series(1, $1) n`,
    [feeds],
  );
  await database.query(
    `insert into source_schedule (source_id, host_key, due_at)
     select id, 'publisher.example', now() + interval '1 hour' from source`,
  );
  await database.query(
    `insert into article (source_id, guid, guid_hash, fingerprint, content_hash, first_rev, rev,
                          title, author, url, pub_date_seconds, rtl)
     select source.id, guid, decode(md5(guid), 'hex'), decode(md5(guid), 'hex'),
            decode(md5(guid), 'hex'), 1, 1, 'Title of ' || guid, 'Author', guid, 1790000000 + n, false
       from generate_series(1, $1) n, source,
            lateral (select source.url || '/' || n as guid) as identity
      order by n, source.id`,
    [itemsPerFeed],
  );
  await database.query(
    `insert into article_body (article_id, html) select id, '<p>' || id || ' ' || $1 || '</p>' from article`,
    [PROSE],
  );
  await database.query('insert into reader (user_id) values ($1)', [user.credentials.userId]);
  await database.query(
    `insert into subscription (reader_id, source_id, url, delivered_rev)
     select reader.id, source.id, source.url, 0 from reader, source order by source.id`,
  );
  await app.app.get(DeliveryService, { strict: false }).deliverTo(user.credentials.userId);
  await database.query('vacuum analyze');
}
