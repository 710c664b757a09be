import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { InstallationChecks } from '../../src/common/ports/installation-checks.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { PROCESS_SECONDS, until } from '../support/until.js';
import { aClusterOfItsOwn } from './a-cluster-of-its-own.js';
import { withDatabase } from './citus-cluster.js';
import {
  aClientOn,
  aFeedOn,
  fetchAll,
  keepFetching,
  type NumberedFeed,
  type SynchronisingClient,
} from './synchronising-clients.js';

/*
 * A worker of a cluster is killed and started again while clients synchronise, change flags and
 * subscribe, and while articles are fetched. Each reader follows feeds on its own worker. Readers of the
 * others get lists of feeds, change flags and subscribe meanwhile; lists of items may be refused, since
 * they ask all workers for articles.
 */

/** Servers are started, and each takes seconds. */
jest.setTimeout(180_000);

const KILLS = 3;
/** Answers that each client gets between two steps. */
const ANSWERS = 12;

const HELD_LOCK = 4_242;

const cluster = await aClusterOfItsOwn(2);
const { app, publisher } = await serviceAndPublisher({
  DATABASE_URL: cluster.databaseUrl,
  GATEFOLD_STATEMENT_SECONDS: '5',
});
const installation = { app, publisher, cluster };

describe('a cluster that loses a worker', () => {
  const [killed, other] = cluster.workers;
  const feeds: NumberedFeed[] = [];
  const lost: SynchronisingClient[] = [];
  const spared: SynchronisingClient[] = [];
  beforeAll(async () => {
    for (const [port = 0, clients] of [
      [killed?.port, lost],
      [other?.port, spared],
    ] as const) {
      const feed = await aFeedOn(installation, port);
      const second = await aFeedOn(installation, port);
      feeds.push(feed);
      feed.publishMore();
      clients.push(await aClientOn(installation, port, feed, second));
      clients.push(await aClientOn(installation, port, feed, second));
    }
  });

  it('loses nothing acknowledged, delivers nothing twice, and lets the readers of others go on', async () => {
    const clients = [...lost, ...spared];
    lost.forEach((client) => (client.mayBeRefused = 'all'));
    spared.forEach((client) => (client.mayBeRefused = 'lists'));
    let isStopped = false;
    const work = Promise.all([
      keepFetching(installation, feeds, () => isStopped),
      ...clients.map((client) => client.runUntil(() => isStopped)),
    ]);
    const get = (some: readonly SynchronisingClient[], status: number, more: number) =>
      Promise.race([work, Promise.all(some.map((client) => client.gets(status, more)))]);

    for (let n = 0; n < KILLS; n++) {
      await get(clients, 200, ANSWERS);
      await killed?.kill();
      await Promise.all([get(spared, 200, ANSWERS), get(lost, 503, 2)]);
      expect((await app.asStranger().get('/health/ready')).status).toBe(200);
      expect(await lostServers()).toEqual([expect.stringContaining(`:${killed?.port} `)]);
      await killed?.start();
    }
    await get(clients, 200, ANSWERS);
    isStopped = true;
    await work;

    await fetchAll(installation);
    for (const client of clients) {
      await client.expectConsistent();
    }
  });

  it('decides the transactions that were in doubt', async () => {
    for (const { url } of cluster.workers) {
      const inDoubt = () => cluster.query('select gid from pg_prepared_xacts', [], url);
      await until(
        'the end of the transactions in doubt',
        async () => (await inDoubt()).length === 0,
        PROCESS_SECONDS,
      );

      expect(await inDoubt()).toEqual([]);
    }
  });

  it('has followers of sources for all subscriptions, and for no others', async () => {
    expect(await cluster.query('select subscription_id as id from follower order by 1')).toEqual(
      await cluster.query('select id from subscription order by 1'),
    );
  });

  it('completes an ingest whose coordinator ended before the revision was committed', async () => {
    const [feed] = feeds;
    const held = await commitsHeldBack(feed?.sourceId ?? 0);
    const revisions = async () => {
      const [articles] = await held.articles();
      const [source] = await app.database.query<{ rev: number }>(
        'select rev from source where id = $1',
        [feed?.sourceId],
      );
      return { articles: articles?.rev, source: source?.rev };
    };
    const before = await revisions();
    expect(before.articles).toBe(before.source);
    feed?.publishMore();
    const ingest = fetchAll(installation).catch(() => {});
    await until('the commit', held.isReached, PROCESS_SECONDS);

    await cluster.coordinator.kill();
    await held.release();
    await until(
      'the commit of the articles',
      async () => (await held.articles())[0]?.rev !== before.articles,
      PROCESS_SECONDS,
    );
    await cluster.coordinator.start();
    await ingest;
    await until(
      'the service to be ready',
      async () => (await app.asStranger().get('/health/ready')).status === 200,
      PROCESS_SECONDS,
    );
    expect((await revisions()).source).toBe(before.source);

    await fetchAll(installation);

    const after = await revisions();
    expect(after.source).toBe(after.articles);
    for (const client of lost) {
      await client.expectConsistent();
    }
  });
});

/** What the doctor says of servers that it cannot reach. */
async function lostServers(): Promise<string[]> {
  const subjects = await app.inside(InstallationChecks).run();
  return subjects
    .filter(({ subject }) => subject === 'Database servers')
    .flatMap(({ findings }) => findings)
    .filter(({ state }) => state === 'error')
    .map(({ text }) => text);
}

/** Holds back the commit of articles on the worker of a source, after the statements. */
async function commitsHeldBack(sourceId: number) {
  const port = await cluster.workerOf('article', sourceId);
  const url = cluster.workers.find((worker) => worker.port === port)?.url ?? '';
  const [shard] = await cluster.query<{ name: string }>(
    `select 'article_' || get_shard_id_for_distribution_column('article', $1::bigint) as name`,
    [sourceId],
  );
  const table = shard?.name ?? '';
  const holder = new Client({ connectionString: withDatabase(url, 'gatefold') });
  await holder.connect();
  await holder.query('set citus.enable_ddl_propagation = off');
  await holder.query('set citus.enable_manual_changes_to_shards = on');
  await holder.query(
    `create function held_back() returns trigger language plpgsql as
       $$ begin perform pg_advisory_xact_lock_shared(${HELD_LOCK}); return null; end $$`,
  );
  await holder.query(
    `create constraint trigger held_back after insert on ${table} deferrable initially deferred
       for each row execute function held_back()`,
  );
  await holder.query('select pg_advisory_lock($1)', [HELD_LOCK]);
  return {
    articles: () =>
      cluster.query<{ rev: number }>(
        `select max(rev)::int as rev from ${table} where source_id = $1`,
        [sourceId],
        url,
      ),
    isReached: async () =>
      (
        await cluster.query(
          "select from pg_locks where locktype = 'advisory' and not granted and objid = $1",
          [HELD_LOCK],
          url,
        )
      ).length > 0,
    async release() {
      await holder.query('select pg_advisory_unlock($1)', [HELD_LOCK]);
      await holder.query(`drop trigger held_back on ${table}`);
      await holder.end();
    },
  };
}
