import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openLaboratory } from './laboratory.js';
import { costOf, quantile } from './measure.js';
import { numberOption, textOption } from './options.js';
import { addPeople, type Person } from './people.js';
import { inParallel, send } from './requests.js';
import { endsWithUs, type MeasuredService } from './service.js';

/*
 * Behaviour of a growing installation: `npm run bench:growth`. Several processes claim from one schedule,
 * with checks that no source was claimed twice and that no host got two requests within the gap; then many
 * accounts synchronise.
 *
 * --sources 50000  in the schedule, five per host, all due    --seconds 10  of claiming
 * --accounts 500   of 100 feeds each                          --database, --json, --publish
 */

const GAP_MS = 1000;
const FEEDS_PER_ACCOUNT = 100;
const SOURCES_PER_HOST = 5;
const CONNECTIONS = 8;
const PROCESSES = [1, 2, 4];

const sources = numberOption('--sources', 50_000);
const accounts = numberOption('--accounts', 500);
const seconds = numberOption('--seconds', 10);

const laboratory = await openLaboratory([{ name: 'this', checkout: process.cwd() }], {
  database: textOption('--database'),
  hosts: 1,
});
const { server, report } = laboratory;
try {
  await laboratory.withServices({}, async ([service]) => {
    if (service === undefined) {
      return;
    }
    report.begin('growth', `${sources} sources, ${accounts} accounts, ${server.version}`);
    await addSources(service);
    for (const processes of PROCESSES) {
      await measureClaims(service, processes);
    }
    await measureAccounts(service);
  });
  report.keep();
} finally {
  await laboratory.close();
}

/** Sources with one article each, and a follower, since others are not fetched. */
async function addSources({ query }: MeasuredService): Promise<void> {
  await query('create table bench_claim (source_id bigint, host_key text, slot_ms float8)');
  await query(
    `insert into source (url, url_key, title, rev, fetched_at)
     select 'https://host' || n / $2::int || '.example/' || n, sha256(convert_to(n::text, 'UTF8')),
            'Feed ' || n, 1, now()
       from generate_series(1, $1::int) n`,
    [sources, SOURCES_PER_HOST],
  );
  await query(
    `insert into source_schedule (source_id, host_key, due_at)
     select id, split_part(url, '/', 3), now() from source`,
  );
  await addArticles(query, 1, 'true');
  await query(`insert into reader (user_id) values ('admin') on conflict do nothing`);
  await query(
    `insert into subscription (reader_id, source_id, url, delivered_rev)
     select reader.id, source.id, source.url, 1 from source, reader where user_id = 'admin'`,
  );
  await query('vacuum analyze');
}

/** One article of this revision for each source of the choice. */
async function addArticles(
  query: MeasuredService['query'],
  revision: number,
  choice: string,
): Promise<void> {
  await query(
    `with written as (
       insert into article (source_id, guid, guid_hash, fingerprint, content_hash, first_rev, rev,
                            title, author, url, pub_date_seconds, rtl)
       select id, guid, decode(md5(guid), 'hex'), decode(md5(guid), 'hex'),
              decode(md5(guid), 'hex'), $1, $1, 'Title', 'Author', guid, 1790000000, false
         from source, lateral (select source.url || '/' || $1::int as guid) as identity
        where ${choice}
       returning id, source_id
     )
     -- As records: the version that is compared may have fewer columns.
     insert into article_body
     select (jsonb_populate_record(null::article_body, jsonb_build_object(
               'article_id', id, 'source_id', source_id, 'html', '<p>Text of ' || id || '</p>'))).*
       from written`,
    [revision],
  );
}

async function measureClaims(service: MeasuredService, processes: number): Promise<void> {
  await service.query('truncate bench_claim, host_state');
  await service.query('update source_schedule set due_at = now(), lease_token = null');
  await service.query('vacuum analyze source_schedule');
  const children = await Promise.all(Array.from({ length: processes }, () => aClaimer(service)));
  let results: readonly { claims: number; seconds: number }[] = [];
  const { databaseMs } = await costOf(server, service, async () => {
    results = await Promise.all(children.map(resultOf));
  });
  const claims = results.reduce((sum, result) => sum + result.claims, 0);
  const perSecond = results.reduce((sum, result) => sum + result.claims / result.seconds, 0);
  const [check] = await service.query<{ twice: number; nearest: number | null }>(
    `select (count(*) - count(distinct source_id))::int as twice, min(gap) as nearest
       from (select source_id,
                    slot_ms - lag(slot_ms) over (partition by host_key order by slot_ms) as gap
               from bench_claim) as claim`,
  );
  const title = `${processes} ${processes === 1 ? 'process' : 'processes'}`;
  report.add(`claims, ${title}`, 'per s', [perSecond]);
  report.add('  PostgreSQL', 'CPU ms per 1,000', [databaseMs && (databaseMs / claims) * 1000]);
  report.add('  claimed in all', 'sources', [claims]);
  report.add('  claimed twice', 'sources', [check?.twice]);
  report.add('  nearest requests to one host', 'ms', [check?.nearest ?? undefined]);
  // Times of PostgreSQL are exact to a microsecond.
  if (check?.twice !== 0 || (check.nearest !== null && check.nearest < GAP_MS - 0.001)) {
    throw new Error(
      `${title}: ${check?.twice} claimed twice, ${check?.nearest} ms between requests.`,
    );
  }
}

async function aClaimer({ databaseName }: MeasuredService): Promise<ChildProcess> {
  const child = fork(
    fileURLToPath(new URL('growth-claimer.ts', import.meta.url)),
    [server.urlOf(databaseName), String(seconds)],
    {
      execArgv: [
        '--no-warnings',
        '--import',
        fileURLToPath(new URL('../../test/support/run-typescript.mjs', import.meta.url)),
      ],
    },
  );
  endsWithUs(child);
  await once(child, 'message');
  return child;
}

async function resultOf(child: ChildProcess): Promise<{ claims: number; seconds: number }> {
  child.send('begin');
  const [result] = (await once(child, 'message')) as [{ claims: number; seconds: number }];
  return result;
}

/** Many accounts synchronise: for the first time, without news, and after a tenth has published. */
async function measureAccounts(service: MeasuredService): Promise<void> {
  const before = await service.databaseMib();
  const people = await addPeople(service, 'reader', accounts);
  await service.query(
    `insert into reader (user_id) select 'reader' || n from generate_series(1, $1::int) n
     on conflict do nothing`,
    [accounts],
  );
  // Neighbours share some of their feeds.
  await service.query(
    `insert into subscription (reader_id, source_id, url, delivered_rev)
     select reader.id, source.id, source.url, 0
       from generate_series(0, $1::int - 1) n
       join reader on reader.user_id = 'reader' || n + 1,
            generate_series(0, $2::int - 1) k
       join lateral (select * from source where id = 1 + (n * 61 + k * k * 7 + k) % $3::int) source on true
     on conflict do nothing`,
    [accounts, FEEDS_PER_ACCOUNT, sources],
  );
  await service.query('vacuum analyze');
  await synchronise('first synchronisation', service, people);
  await service.query('vacuum');
  report.add('each further account', 'KiB', [
    (((await service.databaseMib()) - before) * 1024) / accounts,
  ]);
  await synchronise('synchronisation, nothing new', service, people);
  await addArticles(service.query, 2, 'id % 10 = 0');
  await service.query('update source set rev = 2 where id % 10 = 0');
  await service.query('vacuum analyze');
  await synchronise('synchronisation, a tenth has published', service, people);
  report.add('memory', 'MiB', [service.memoryMib()]);
}

async function synchronise(
  name: string,
  service: MeasuredService,
  people: readonly Person[],
): Promise<void> {
  const latencies: number[] = [];
  const cost = await costOf(server, service, () =>
    inParallel(CONNECTIONS, people.length, async (n) => {
      const person = people[n];
      if (person !== undefined) {
        const began = performance.now();
        const since = Math.floor(Date.now() / 1000) + 60;
        await send(person, 'GET', `/items/updated?type=3&lastModified=${since}`);
        latencies.push(performance.now() - began);
      }
    }),
  );
  report.addCosts(name, [cost], people.length, 'account');
  report.add('  p50', 'ms', [quantile(latencies, 0.5)]);
  report.add('  p99', 'ms', [quantile(latencies, 0.99)]);
}
