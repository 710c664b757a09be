import type { MeasuredService } from './service.js';

/**
 * Gives users feeds of their own, or shares another user's, without fetching. The service delivers the
 * items with each user's next synchronisation.
 */

/** Inserts sources with articles, with bodies of a few words, since lists of feeds read none. */
export async function insertSources(
  { query }: Pick<MeasuredService, 'query'>,
  name: string,
  feeds: number,
  itemsPerFeed: number,
): Promise<void> {
  await query(
    `insert into source (url, url_key, title, rev, fetched_at)
     select 'https://' || $1::text || n || '.example/feed', sha256(convert_to($1 || n, 'UTF8')),
            'Feed ' || n, 1, now()
       from generate_series(1, $2::int) n`,
    [name, feeds],
  );
  await query(
    `insert into source_schedule (source_id, host_key, due_at)
     select id, split_part(url, '/', 3), now() + interval '1 day'
       from source where url like 'https://' || $1::text || '%.example/feed'`,
    [name],
  );
  await query(
    `insert into article (source_id, guid, guid_hash, fingerprint, content_hash, first_rev, rev,
                          title, author, url, pub_date_seconds, rtl)
     select source.id, guid, decode(md5(guid), 'hex'), decode(md5(guid), 'hex'),
            decode(md5(guid), 'hex'), 1, 1, 'Title of ' || guid, 'Author', guid, 1790000000 + n, false
       from generate_series(1, $2::int) n, source,
            lateral (select source.url || '/' || n as guid) as identity
      where source.url like 'https://' || $1::text || '%.example/feed'
      order by n, source.id`,
    [name, itemsPerFeed],
  );
  // Passed as records: the compared version may have fewer columns.
  await query(
    `insert into article_body
     select (jsonb_populate_record(null::article_body, jsonb_build_object(
               'article_id', article.id, 'source_id', source_id,
               'html', '<p>Text of ' || article.id || '</p>'))).*
       from article join source on source.id = source_id
      where source.url like 'https://' || $1::text || '%.example/feed'`,
    [name],
  );
}

/**
 * Subscribes users to sources that exist.
 *
 * @param prefix of the names of the users, as for `addPeople`
 * @param choice condition on `source` and the user's number `n`
 */
export async function subscribeAll(
  { query }: Pick<MeasuredService, 'query'>,
  prefix: string,
  users: number,
  choice: string,
): Promise<void> {
  await query(
    `insert into reader (user_id) select $1::text || n from generate_series(1, $2::int) n
     on conflict do nothing`,
    [prefix, users],
  );
  await query(
    `insert into subscription (reader_id, source_id, url, delivered_rev)
     select reader.id, source.id, source.url, 0
       from generate_series(1, $2::int) n join reader on reader.user_id = $1::text || n, source
      where ${choice}
      order by reader.id, source.id`,
    [prefix, users],
  );
}
