import { DeliveryService } from '../../src/news/reader/delivery/delivery.service.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { SearchIndex } from '../../src/news/reader/search/search-index.service.js';
import { NewsClient, ok } from '../../test/support/news-client.js';
import { readerOf } from '../../test/support/reader-of.js';
import { startApp } from '../../test/support/start-app.js';
import { startDatabaseServer } from './database-server.js';
import { numberOption, textOption } from './options.js';
import { print } from './report.js';

/*
 * Searches among many articles: `npm run bench:search`. Words have the frequencies of prose.
 *
 * --articles 300000  in the table, of feeds with 200 each    --feeds 250  that the user follows
 * --words 150        of an article                           --requests 40  of each kind
 * --database URL     a PostgreSQL server instead of an embedded one
 */

const ARTICLES_PER_FEED = 200;
const VOCABULARY = 200_000;
const FEEDS_AT_A_TIME = 10;

const feeds = Math.ceil(numberOption('--articles', 300_000) / ARTICLES_PER_FEED);
const followed = numberOption('--feeds', 250);
const wordsPerArticle = numberOption('--words', 150);
const requests = numberOption('--requests', 40);

let seed = 7;
function random(): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
}

/** The nth word of a language is n times rarer than the first. */
const word = () => `w${Math.floor(VOCABULARY ** random()).toString(36)}`;
const words = (count: number) => Array.from({ length: count }, word).join(' ');

const server = await startDatabaseServer(textOption('--database'));
await server.query('create database search_bench');
const app = await startApp({ DATABASE_URL: server.urlOf('search_bench') });
const query = <Row>(sql: string, params: readonly unknown[] = []) =>
  app.database.query<Row>(sql, params);

async function seeded<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const beganAt = performance.now();
  const result = await work();
  print(`${what}: ${((performance.now() - beganAt) / 1000).toFixed(1)} s`);
  return result;
}

async function insertArticles(): Promise<void> {
  await query(
    `insert into source (url, url_key, title, rev, fetched_at)
     select 'https://publisher.example/' || n, decode(md5(n::text), 'hex'), 'Feed ' || n, 1, now()
       from generate_series(1, $1) n`,
    [feeds],
  );
  for (let from = 1; from <= feeds; from += FEEDS_AT_A_TIME) {
    const rows = Array.from(
      { length: Math.min(FEEDS_AT_A_TIME, feeds - from + 1) * ARTICLES_PER_FEED },
      (_, n) => ({
        source: from + Math.floor(n / ARTICLES_PER_FEED),
        title: words(8),
        html: `<p>${words(wordsPerArticle)}</p>`,
        date: 1_790_000_000 - Math.floor(random() * 30_000_000),
      }),
    );
    await query(
      `with given as (
         select source_id, title, html, date, md5(source_id || title || n) as key
           from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[])
                with ordinality as given (source_id, title, html, date, n)
       ), added as (
         insert into article (source_id, guid, guid_hash, fingerprint, content_hash, first_rev, rev,
                              title, url, pub_date_seconds, rtl)
         select source_id, key, decode(key, 'hex'), decode(key, 'hex'), decode(key, 'hex'), 1, 1, title,
                'https://publisher.example/' || key, date, false from given
         returning id, source_id, guid
       )
       insert into article_body (article_id, source_id, html)
       select added.id, added.source_id, given.html from added join given on given.key = added.guid`,
      [
        rows.map(({ source }) => source),
        rows.map(({ title }) => title),
        rows.map(({ html }) => html),
        rows.map(({ date }) => date),
      ],
    );
  }
}

const user = await app.signIn();
const news = new NewsClient(user, 'v1-3');
const reader = await readerOf(app, user.credentials.userId);

async function follow(): Promise<void> {
  await app.inside(ReadersRepository).change(reader, async (tx, { id }) => {
    await tx.query(
      `insert into subscription (reader_id, source_id, url, delivered_rev)
       select $1, id, url, 0 from source where id % ($2::bigint / $3::bigint) = 0 order by id limit $3`,
      [id, feeds, followed],
    );
  });
  await app.inside(DeliveryService).deliverTo(reader);
}

async function timed(what: string, params: () => Record<string, string>): Promise<void> {
  const ms: number[] = [];
  let rows = 0;
  for (let n = 0; n < requests; n += 1) {
    const given = params();
    const beganAt = performance.now();
    const page = await ok<{ rows: readonly unknown[] }>(news.get('/search/rows', given));
    ms.push(performance.now() - beganAt);
    rows += page.rows.length;
  }
  ms.sort((a, b) => a - b);
  const at = (share: number) => (ms[Math.ceil(share * ms.length) - 1] ?? 0).toFixed(0);
  print(`| ${what} | ${(rows / requests).toFixed(0)} | ${at(0.5)} | ${at(0.95)} |`);
}

/** A word that about so many articles have in their texts. */
function wordAround(rank: number): string {
  return `w${Math.floor(rank * (0.8 + 0.4 * random())).toString(36)}`;
}

async function measure(): Promise<void> {
  print('| search | rows | p50 ms | p95 ms |');
  print('| --- | --- | --- | --- |');
  await timed('a rare word', () => ({ query: `${wordAround(20_000)} ` }));
  await timed('a usual word', () => ({ query: `${wordAround(1000)} ` }));
  await timed('a frequent word', () => ({ query: `${wordAround(10)} ` }));
  await timed('two usual words', () => ({ query: `${wordAround(200)} ${wordAround(200)} ` }));
  await timed('the beginning of a word', () => ({ query: wordAround(1000) }));
  await timed('a phrase of frequent words', () => ({
    query: `"${wordAround(10)} ${wordAround(10)}"`,
  }));
  await timed('a word but not another', () => ({
    query: `${wordAround(100)} -${wordAround(10)} `,
  }));
  await timed('a word of the title', () => ({ query: `intitle:${wordAround(100)} ` }));
  await timed('a usual word by relevance', () => ({
    query: `${wordAround(1000)} `,
    order: 'relevance',
  }));
  await timed('a frequent word by relevance', () => ({
    query: `${wordAround(10)} `,
    order: 'relevance',
  }));
  await timed('no word: is:unread has:author', () => ({ query: 'is:unread has:author' }));
}

try {
  await seeded(`${feeds * ARTICLES_PER_FEED} articles`, insertArticles);
  await seeded(`${followed} feeds delivered`, follow);
  await query('vacuum analyze');
  print('Before anything is indexed:');
  app.inside(SearchIndex).hasten = () => {};
  await timed('a usual word', () => ({ query: `${wordAround(1000)} ` }));
  app.inside(SearchIndex).shareOfTime = 1;
  await seeded('indexed', () => app.inside(SearchIndex).indexPending());
  await query('vacuum analyze');
  const [size] = await query<{ table: string; index: string; bodies: string }>(
    `select pg_size_pretty(pg_table_size('article_tokens')) as table,
            pg_size_pretty(pg_relation_size('article_tokens_tokens_index')) as index,
            pg_size_pretty(pg_table_size('article_body')) as bodies`,
  );
  print(`tokens ${size?.table}, their index ${size?.index}, bodies ${size?.bodies}`);
  await measure();
} finally {
  await app.stop();
  await server.stop();
}
