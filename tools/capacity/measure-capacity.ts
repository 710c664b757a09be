import { setTimeout as pause } from 'node:timers/promises';
import { ServiceClient } from '../demo/service-client.js';
import type { CapacityPublisher } from './capacity-publisher.js';
import type { MeasuredRates } from './estimate.js';
import { ADMIN, type MeasuredService } from './measured-service.js';

export interface Amounts {
  readonly feeds: number;
  readonly accounts: number;
  /** Duration of the synchronisation of clients. */
  readonly seconds: number;
}

/** Includes the times of the answers to clients. */
export interface Measurement extends MeasuredRates {
  readonly firstFetchesPerSecond: number;
  readonly syncP50Ms: number;
  readonly syncP99Ms: number;
}

const NEWS = '/index.php/apps/news/api/v1-3';
const CLIENTS_AT_ONCE = 32;
const POLL_MS = 50;
const FETCHED_WITHIN_MS = 600_000;
/** Feeds of each account, all of which others follow as well. */
const FEEDS_PER_ACCOUNT = 100;

/** Imports and fetches feeds, delivers them to accounts, synchronises clients, and measures each. */
export async function measureCapacity(
  service: MeasuredService,
  publisher: CapacityPublisher,
  { feeds, accounts, seconds }: Amounts,
  tell: (what: string) => void,
): Promise<Measurement> {
  const admin = new ServiceClient(service.address, ADMIN, service.adminPassword);

  tell(`${feeds} feeds are fetched for the first time …`);
  const firstFetches = await secondsOf(async () => {
    await subscribe(admin, publisher, feeds);
    await untilFetched(service, new Date(0));
  });

  tell('One in ten publishes, and all are fetched …');
  publisher.publish();
  const fetches = await secondsOf(() => fetchAll(service));

  tell(`${accounts} accounts follow ${Math.min(feeds, FEEDS_PER_ACCOUNT)} feeds …`);
  const clients = await addAccounts(admin, service, publisher, accounts, feeds);
  const before = await countItems(service);
  const deliveries = await secondsOf(() =>
    inParallel(clients, CLIENTS_AT_ONCE, async (client) => {
      await client.call('GET', `${NEWS}/items?batchSize=1&type=3`);
    }),
  );
  const delivered = (await countItems(service)) - before;

  tell(`Clients synchronise for ${seconds} s …`);
  const since = await timeOf(service);
  publisher.publish();
  await fetchAll(service);
  const latenciesMs = await synchronise(clients, since, seconds);

  const sizes = await sizesOf(service);
  const at = (share: number) => latenciesMs[Math.floor((latenciesMs.length - 1) * share)] ?? 0;
  return {
    firstFetchesPerSecond: feeds / firstFetches,
    fetchesPerSecond: feeds / fetches,
    deliveredItemsPerSecond: delivered / deliveries,
    syncsPerSecond: latenciesMs.length / seconds,
    syncP50Ms: at(0.5),
    syncP99Ms: at(0.99),
    ...sizes,
  };
}

async function subscribe(
  client: ServiceClient,
  publisher: CapacityPublisher,
  feeds: number,
): Promise<void> {
  const outlines = Array.from(
    { length: feeds },
    (_, n) => `<outline type="rss" text="Feed ${n}" xmlUrl="${publisher.urlOf(n)}"/>`,
  );
  await client.call('POST', `${NEWS}/opml/import`, {
    headers: { 'content-type': 'text/x-opml' },
    body: `<opml version="2.0"><body>${outlines.join('')}</body></opml>`,
  });
}

async function addAccounts(
  admin: ServiceClient,
  { address }: MeasuredService,
  publisher: CapacityPublisher,
  count: number,
  feeds: number,
): Promise<ServiceClient[]> {
  const clients: ServiceClient[] = [];
  await inParallel([...Array(count).keys()], 4, async (n) => {
    const [userid, password] = [`capacity-${n}`, `password of the measurement ${n}`];
    await admin.ocs('POST', '/cloud/users', { userid, password });
    const client = new ServiceClient(address, userid, password);
    await subscribe(client, publisher, Math.min(feeds, FEEDS_PER_ACCOUNT));
    clients.push(client);
  });
  return clients;
}

/**
 * Requests the changes since a time: a few items, which the first answer to each account delivers.
 *
 * @returns times of the answers in ms, ascending
 */
async function synchronise(
  clients: readonly ServiceClient[],
  since: Date,
  seconds: number,
): Promise<number[]> {
  const endsAt = performance.now() + seconds * 1000;
  const latenciesMs: number[] = [];
  const lastModified = Math.ceil(since.getTime() / 1000);
  await Promise.all(
    Array.from({ length: CLIENTS_AT_ONCE }, async (_, lane) => {
      for (let n = lane; performance.now() < endsAt; n += CLIENTS_AT_ONCE) {
        const began = performance.now();
        const client = clients[n % clients.length];
        const answer = await client?.call(
          'GET',
          `${NEWS}/items/updated?type=3&lastModified=${lastModified}`,
        );
        await answer?.arrayBuffer();
        latenciesMs.push(performance.now() - began);
      }
    }),
  );
  return latenciesMs.sort((a, b) => a - b);
}

/** Brings all fetches forward, and waits until they have ended. */
async function fetchAll(service: MeasuredService): Promise<void> {
  const before = await timeOf(service);
  await service.database.query('update source_schedule set due_at = now()');
  await untilFetched(service, before);
}

/** Time of the database, whose clock stamps everything. */
async function timeOf({ database }: MeasuredService): Promise<Date> {
  const { rows } = await database.query<{ now: Date }>('select clock_timestamp() as now');
  return rows[0]?.now ?? new Date();
}

async function untilFetched({ database }: MeasuredService, after: Date): Promise<void> {
  const deadline = Date.now() + FETCHED_WITHIN_MS;
  for (;;) {
    const { rows } = await database.query<{ waiting: number }>(
      `select count(*)::int as waiting from source
        where fetched_at is null or fetched_at <= $1`,
      [after],
    );
    if (rows[0]?.waiting === 0) {
      return;
    }
    if (Date.now() > deadline) {
      throw new Error('The feeds of the measurement were not fetched within ten minutes.');
    }
    await pause(POLL_MS);
  }
}

async function countItems({ database }: MeasuredService): Promise<number> {
  const { rows } = await database.query<{ items: number }>(
    'select count(*)::int as items from item',
  );
  return rows[0]?.items ?? 0;
}

async function sizesOf({
  database,
}: MeasuredService): Promise<Pick<MeasuredRates, 'bytesPerItem' | 'bytesPerArticle'>> {
  const { rows } = await database.query<{ bytesPerItem: number; bytesPerArticle: number }>(
    `select (pg_total_relation_size('item') / greatest(1, (select count(*) from item)))::float8
              as "bytesPerItem",
            ((pg_total_relation_size('article') + pg_total_relation_size('article_body'))
              / greatest(1, (select count(*) from article)))::float8 as "bytesPerArticle"`,
  );
  return rows[0] ?? { bytesPerItem: 0, bytesPerArticle: 0 };
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

async function inParallel<Thing>(
  things: readonly Thing[],
  atOnce: number,
  work: (thing: Thing) => Promise<void>,
): Promise<void> {
  const waiting = [...things];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let thing = waiting.shift(); thing !== undefined; thing = waiting.shift()) {
        await work(thing);
      }
    }),
  );
}
