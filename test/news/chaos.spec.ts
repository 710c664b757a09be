import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { Config } from '../../src/common/config/config.js';
import { LEASE_SECONDS } from '../../src/news/sources/schedule/schedule.sql.js';
import { aServiceProcess, type ServiceProcess } from '../support/a-service-process.js';
import { rss, startFeedServer, type FeedServer } from '../support/feed-server.js';
import { describeLong } from '../support/long.js';
import { NewsClient, type FeedJson, type ItemJson } from '../support/news-client.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { until } from '../support/until.js';

/*
 * Replicas in separate processes on one database are killed and disconnected at critical moments,
 * while a publisher lists numbered entries. Invariants: every user has every entry exactly once, ids
 * ascend in the order of delivery, and every source is due again within its lease.
 *
 * Instead of waiting, the specs move due dates nearer.
 */

let app: TestApp;
let publisher: FeedServer;
let databaseUrl: string;
let replicas: ServiceProcess[] = [];
let path: string;
let specs = 0;

beforeAll(async () => {
  // Serves the users' requests; runs no schedule.
  [app, publisher] = await Promise.all([startApp(), startFeedServer()]);
  databaseUrl = app.inside(Config).databaseUrl ?? '';
});
afterAll(() => Promise.all([app.stop(), publisher.close()]));
beforeEach(() => {
  path = `/${(specs += 1)}.xml`;
});
afterEach(async () => {
  await Promise.all(replicas.filter((one) => one.isRunning()).map((one) => one.kill()));
  replicas = [];
  // Leases of killed replicas end with the spec that killed them.
  await app.database.query(
    "update source_schedule set due_at = now() + interval '1 day', lease_token = null",
  );
});

async function start(...preload: string[]): Promise<ServiceProcess> {
  const replica = await aServiceProcess(databaseUrl, {}, ['quick-intervals.mjs', ...preload]);
  replicas.push(replica);
  return replica;
}

/** The publisher's document has the entries from 1 to `last`, newest first. */
function document(last: number): string {
  const items = Array.from({ length: last }, (_, n) => ({ title: String(last - n) }));
  return rss({ title: 'chaos', link: publisher.url('/'), items });
}

const publish = (last: number) => publisher.publish(path, document(last));

interface Reader {
  readonly user: TestUser;
  readonly feed: FeedJson;
}

async function readers(count: number): Promise<Reader[]> {
  publish(1);
  return Promise.all(
    Array.from({ length: count }, async () => {
      const user = await app.signIn();
      return { user, feed: await new NewsClient(user, 'v1-3').subscribe(publisher.url(path)) };
    }),
  );
}

const newsOf = (user: TestUser, at = app.url) =>
  new NewsClient({ baseUrl: at, credentials: user.credentials }, 'v1-3');

const makeDue = () =>
  app.database.query(
    "update source_schedule set due_at = now() - interval '1 second' where lease_token is null",
  );

const letLeasesEnd = () =>
  app.database.query(
    'update source_schedule set due_at = due_at - make_interval(secs => $1) where lease_token is not null',
    [LEASE_SECONDS + 1],
  );

/** Makes the source due until that many of its entries are stored. */
async function articlesOf(count: number): Promise<void> {
  await until(`${count} articles`, async () => {
    await makeDue();
    const rows = await app.database.query(
      `select 1 from article join source on source.id = source_id where source.url = $1
       having count(*) >= $2`,
      [publisher.url(path), count],
    );
    return rows.length > 0;
  });
}

/** Makes the source due until its publisher gets another request. */
async function publisherIsAsked(): Promise<void> {
  const before = publisher.requests(path).length;
  await until('another request to the publisher', async () => {
    await makeDue();
    return publisher.requests(path).length > before;
  });
}

/** Every reader has the entries from 1 to `last`, each once, with ids in the order of delivery. */
async function expectComplete(all: readonly Reader[], last: number): Promise<void> {
  for (const { user, feed } of all) {
    const items = (await newsOf(user).items()).filter(({ feedId }) => feedId === feed.id);
    const oldestFirst = items.toSorted((a: ItemJson, b: ItemJson) => a.id - b.id);
    expect(oldestFirst.map(({ title }) => Number(title))).toEqual(
      Array.from({ length: last }, (_, n) => n + 1),
    );
  }
}

/**
 * Every source has a due date, and no lease exceeds its length. Compares with clock_timestamp():
 * `now()` is the start of the statement, and a lease may be taken after it.
 */
async function expectNothingStuck(): Promise<void> {
  const stuck = await app.database.query(
    `select source_id, due_at, lease_token from source_schedule
      where lease_token is not null and due_at > clock_timestamp() + make_interval(secs => $1)
         or due_at > clock_timestamp() + interval '8 days'`,
    [LEASE_SECONDS],
  );
  expect(stuck).toEqual([]);
}

/** Blocks inserts into a table, as a slow disk would; `reached` resolves at the first one. */
async function holdBack(table: 'article' | 'item') {
  const holder = new Client({ connectionString: databaseUrl });
  holder.on('error', () => {});
  await holder.connect();
  await holder.query('begin');
  await holder.query(`lock table ${table} in share mode`);
  return {
    reached: () =>
      until(`an insert into ${table}`, async () => {
        const rows = await app.database.query(
          `select from pg_locks join pg_database on pg_database.oid = database
            where datname = current_database() and relation = '${table}'::regclass and not granted`,
        );
        return rows.length > 0;
      }),
    release: () => holder.end(),
  };
}

describeLong('a replica that is killed', () => {
  it('while it waits for a publisher, leaves the source to another replica', async () => {
    const all = await readers(2);
    const release = publisher.hang(path);
    const first = await start();
    await publisherIsAsked();

    await first.kill();
    await expectNothingStuck();
    publish(3);
    await letLeasesEnd();
    await start();
    await articlesOf(3);

    await expectComplete(all, 3);
    release();
  });

  it('while it writes articles, leaves none of them, and another replica writes them all', async () => {
    const all = await readers(2);
    publish(5);
    const held = await holdBack('article');
    const first = await start();
    await makeDue();
    await held.reached();

    await first.kill();
    await expectNothingStuck();
    await held.release();
    await letLeasesEnd();
    await start();
    await articlesOf(5);

    await expectComplete(all, 5);
  });

  it('while it delivers, leaves no partial delivery', async () => {
    const all = await readers(2);
    const [reader] = all;
    const first = await start();
    publish(4);
    await articlesOf(4);
    const held = await holdBack('item');
    const interrupted = newsOf(reader?.user ?? app.asAdmin(), first.url)
      .feedList()
      .then(
        () => 'answered',
        () => 'cut off',
      );
    await held.reached();

    await first.kill();
    expect(await interrupted).toBe('cut off');
    await held.release();

    await expectComplete(all, 4);
    await expectComplete(all, 4);
  });
});

describeLong('a database that closes connections', () => {
  it('is retried: no data is lost, and no process exits', async () => {
    const all = await readers(2);
    const both = await Promise.all([start(), start()]);
    const cut = async () => {
      const [row] = await app.database.query<{ pid: number }>('select pg_backend_pid() as pid');
      await app.database.query(
        `select pg_terminate_backend(pid, 1000) from pg_stat_activity
          where datname = current_database() and pid not in ($1, pg_backend_pid())`,
        [row?.pid],
      );
    };

    for (let last = 2; last <= 8; last++) {
      publish(last);
      await publisherIsAsked();
      await cut();
      await letLeasesEnd();
    }
    await articlesOf(8);

    expect(both.map((one) => one.isRunning())).toEqual([true, true]);
    await expectComplete(all, 8);
    await expectNothingStuck();
  });
});

describeLong('a clock that jumps by years', () => {
  it('delays no fetch, and neither loses nor repeats an item', async () => {
    const all = await readers(2);
    await start('jumping-clock.mjs');
    await start('jumping-clock.mjs');

    for (let last = 2; last <= 5; last++) {
      publish(last);
      await articlesOf(last);
      await expectNothingStuck();
    }

    await expectComplete(all, 5);
  });
});

describeLong('replicas that start and stop', () => {
  it('deliver every entry to every user once, in order', async () => {
    const all = await readers(3);
    let seen = 0;
    let steady = await start();

    for (let last = 2; last <= 5; last++) {
      publish(last);
      const goer = steady;
      const [next] = await Promise.all([
        start(),
        publisherIsAsked(),
        newsOf(all[0]?.user ?? app.asAdmin(), goer.url)
          .feedList()
          .catch(() => {}),
      ]);
      steady = next;
      await (last % 2 === 0 ? goer.kill() : goer.stop());
      await letLeasesEnd();
      await articlesOf(last);

      const { newestItemId = 0 } = await newsOf(
        all[1]?.user ?? app.asAdmin(),
        steady.url,
      ).feedList();
      expect(newestItemId).toBeGreaterThan(seen);
      seen = newestItemId;
    }

    await expectComplete(all, 5);
    await expectNothingStuck();
  });
});
