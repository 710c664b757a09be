import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { aClusterOfItsOwn } from './a-cluster-of-its-own.js';
import {
  aClientOn,
  aFeedOn,
  fetchAll,
  keepFetching,
  type NumberedFeed,
  type SynchronisingClient,
} from './synchronising-clients.js';

/*
 * An operator adds a worker, and moves shards of readers and of articles to it, while clients synchronise,
 * change flags and subscribe, and while articles are fetched. No request fails.
 */

/** Servers are started, and each takes seconds. */
jest.setTimeout(180_000);

/** Answers that each client gets between two moves. */
const ANSWERS = 3;

const cluster = await aClusterOfItsOwn(2, 1);
const { app, publisher } = await serviceAndPublisher({ DATABASE_URL: cluster.databaseUrl });
const installation = { app, publisher, cluster };

interface Shard {
  readonly id: string;
  readonly from: number;
}

/** One of each group of shards that move together, on the first two workers. */
const shards = () =>
  cluster.query<Shard>(
    `select shardid as id, nodeport as from from citus_shards
      where table_name in ('reader'::regclass, 'article'::regclass) order by shardid`,
  );

describe('shards that move to a new worker', () => {
  const [first, second, added] = cluster.workers;
  const feeds: NumberedFeed[] = [];
  const clients: SynchronisingClient[] = [];
  let isStopped = false;
  beforeAll(async () => {
    for (const { port = 0 } of [first, second].flatMap((worker) => worker ?? [])) {
      const feed = await aFeedOn(installation, port);
      feeds.push(feed);
      feed.publishMore();
      clients.push(await aClientOn(installation, port, feed, await aFeedOn(installation, port)));
    }
    await cluster.join(added?.url ?? '');
    await cluster.query("select replicate_reference_tables('block_writes')");
  });

  /** Runs all clients until the work is done. */
  async function during(work: () => Promise<void>): Promise<void> {
    isStopped = false;
    const working = Promise.all([
      keepFetching(installation, feeds, () => isStopped),
      ...clients.map((client) => client.runUntil(() => isStopped)),
    ]);
    await Promise.race([working, work()]);
    isStopped = true;
    await working;
    await fetchAll(installation);
    for (const client of clients) {
      await client.expectConsistent();
    }
  }

  const answers = () => Promise.all(clients.map((client) => client.gets(200, ANSWERS)));

  it('all have a primary key, by which changes are replicated during a move', async () => {
    expect(
      await cluster.query(
        `select logicalrelid::text from pg_dist_partition
          where not exists (select from pg_index where indrelid = logicalrelid and indisprimary)`,
      ),
    ).toEqual([]);
  });

  it.each(['block_writes', 'force_logical'])(
    'lose nothing, deliver nothing twice, and refuse no request: %s',
    async (mode) => {
      const target = mode === 'block_writes' ? added?.port : first?.port;
      await during(async () => {
        for (const { id, from } of await shards()) {
          await answers();
          if (from !== target) {
            await cluster.query(
              `select citus_move_shard_placement($1::bigint, '127.0.0.1', $2, '127.0.0.1', $3,
                                                 shard_transfer_mode => '${mode}')`,
              [id, from, target],
            );
          }
        }
        await answers();
      });

      expect(new Set((await shards()).map(({ from }) => from))).toEqual(new Set([target]));
    },
  );
});
