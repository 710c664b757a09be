import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { startTestServer } from '../test/support/test-server.js';
import { startPublisher } from './publisher.js';
import { insertItems } from './seed-items.js';
import { startService, type MeasuredService } from './service.js';

/*
 * The hot paths over real HTTP. Machines differ and are noisy, so compare ratios of one run:
 *
 *   npm run bench                                compares each request with the cheapest one
 *   npm run bench -- --against ../older-checkout  runs two builds in turns and compares them
 *
 * Options: --feeds 250 --items 200 (per feed) --rounds 15 --fetched 100 (feeds that are fetched).
 */

const feeds = option('--feeds', 250);
const itemsPerFeed = option('--items', 200);
const rounds = option('--rounds', 15);
/** Even, since each half is measured by itself. */
const fetchedFeeds = 2 * Math.ceil(option('--fetched', 100) / 2);
const against = process.argv[process.argv.indexOf('--against') + 1];

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const server = await startTestServer();
const services: MeasuredService[] = [];
try {
  services.push(await startService('this', process.cwd()));
  if (process.argv.includes('--against') && against !== undefined) {
    services.push(await startService('other', path.resolve(against)));
  }
  await measureFetching();
  await measureReading();
} finally {
  for (const service of services) {
    await service.stop();
  }
  await server.stop();
  agent.destroy();
}

/** First fetches through `POST /feeds`, 16 at once, and a round in which nothing has changed. */
async function measureFetching(): Promise<void> {
  const publisher = await startPublisher();
  print(`${fetchedFeeds} feeds of 30 items, processor time of the service per feed`);
  print(row('work', ...services.map(({ name }) => name), 'ratio'));
  // One half in this order and the other in reverse, since whoever comes first also warms up the
  // database and this process.
  const half = Math.ceil(fetchedFeeds / 2);
  const perFeed = async (
    name: string,
    work: (service: MeasuredService, n: number) => Promise<void>,
  ) => {
    const used = services.map(() => 0);
    const measure = async (from: number, order: readonly number[]) => {
      for (const index of order) {
        const service = services[index];
        if (service !== undefined) {
          const before = service.cpuMs();
          await inParallel(16, half, (n) => work(service, from + n));
          used[index] = (used[index] ?? 0) + (service.cpuMs() - before) / (2 * half);
        }
      }
    };
    const order = [...services.keys()];
    await measure(0, order);
    await measure(half, order.toReversed());
    reportRow(name, used);
  };
  await perFeed('first fetch (POST /feeds)', async (service, n) =>
    send(service, 'POST', '/feeds', { url: `${publisher.url}/${n}.xml`, folderId: null }),
  );
  const feedIds = new Map<MeasuredService, readonly number[]>();
  for (const service of services) {
    const rows = await service.query<{ id: number }>('select id from subscription order by id');
    feedIds.set(
      service,
      rows.map(({ id }) => id),
    );
  }
  await perFeed('nothing changed (feeds/update)', async (service, n) =>
    send(service, 'GET', `/feeds/update?userId=admin&feedId=${feedIds.get(service)?.[n]}`),
  );
  print(row('resident memory, MiB', ...services.map((service) => service.memoryMib().toFixed(0))));
  publisher.close();
  for (const { query } of services) {
    await query('truncate source, reader restart identity cascade');
  }
}

async function measureReading(): Promise<void> {
  print(`\n${feeds} feeds of ${itemsPerFeed} items, ${rounds} rounds, medians in ms`);
  for (const service of services) {
    await insertItems(service.query, 'admin', feeds, itemsPerFeed);
    await send(service, 'GET', '/items?batchSize=1');
    await service.query('vacuum analyze');
  }
  print(row('request', ...services.map(({ name }) => name), 'ratio'));
  const total = feeds * itemsPerFeed;
  const newest = Math.floor(Date.now() / 1000) + 60;
  const some = Array.from({ length: 1000 }, (_, n) => total - n);

  const base = await report('GET /version (the unit)', (one) => send(one, 'GET', '/version'));
  const get = (name: string, address: string, headers: Record<string, string> = {}) =>
    report(name, (one) => send(one, 'GET', address, undefined, headers), undefined, base);
  await get('GET /feeds', '/feeds');
  await get('200 newest items', '/items?batchSize=200');
  await get('200 items from the middle', `/items?batchSize=200&offset=${total >> 1}`);
  await get('200 items of a folder', '/items?batchSize=200&type=1&id=0');
  await get('one feed', '/items?type=0&id=1');
  await get('200 unread', '/items?batchSize=200&getRead=false');
  await get('changed: nothing', `/items/updated?lastModified=${newest}&type=3`);
  await get('all items', '/items');
  await get('all items, gzip', '/items', { 'accept-encoding': 'gzip' });
  await report('first byte of all items', (one) => firstByte(one, '/items'), undefined, base);
  await report(
    'mark 1,000 read',
    (one) => send(one, 'POST', '/items/read/multiple', { itemIds: some }),
    (one) => send(one, 'POST', '/items/unread/multiple', { itemIds: some }),
    base,
  );
  await report(
    'mark all read',
    (one) => send(one, 'POST', '/items/read', { newestItemId: total }),
    (one) => one.query('update item set unread = true'),
    base,
  );
  await report(
    '32 clients, 2,000 requests',
    (one) => inParallel(32, 2000, () => send(one, 'GET', '/version')),
    undefined,
    base,
  );
  print(row('resident memory, MiB', ...services.map((service) => service.memoryMib().toFixed(0))));
}

/**
 * Measures the services in turns, so that a busy machine hits both alike.
 *
 * @param base time of the cheapest request, which a single service is compared with
 */
async function report(
  name: string,
  work: (service: MeasuredService) => Promise<unknown>,
  prepare: (service: MeasuredService) => Promise<unknown> = async () => {},
  base?: number,
): Promise<number> {
  const times = services.map((): number[] => []);
  const few = name.startsWith('32') || name.startsWith('all') ? Math.ceil(rounds / 3) : rounds;
  for (let round = -2; round < few; round += 1) {
    for (const [n, service] of services.entries()) {
      await prepare(service);
      const started = performance.now();
      await work(service);
      // The first two rounds warm up.
      if (round >= 0) {
        times[n]?.push(performance.now() - started);
      }
    }
  }
  const medians = times.map(median);
  reportRow(name, medians, base);
  return medians[0] ?? 0;
}

function reportRow(name: string, figures: readonly number[], base = figures[0] ?? 1): void {
  const [mine = 0, other] = figures;
  print(
    row(name, ...figures.map((figure) => figure.toFixed(2)), (mine / (other ?? base)).toFixed(2)),
  );
}

/** Sends a request of the News API and reads the answer to its end. */
async function send(
  service: MeasuredService,
  method: string,
  address: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<void> {
  const answer = await ask(service, method, address, body, headers);
  answer.resume();
  await once(answer, 'end');
}

async function firstByte(service: MeasuredService, address: string): Promise<void> {
  const answer = await ask(service, 'GET', address);
  await once(answer, 'data');
  answer.destroy();
}

async function ask(
  { url, authorization }: MeasuredService,
  method: string,
  address: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const asking = request(`${url}/index.php/apps/news/api/v1-3${address}`, {
    agent,
    method,
    headers: {
      authorization,
      ...(text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      ...headers,
    },
  });
  asking.end(text);
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) {
    throw new Error(`${method} ${address} answered ${answer.statusCode}`);
  }
  return answer;
}

async function inParallel(
  workers: number,
  count: number,
  work: (n: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (next < count) {
        next += 1;
        await work(next - 1);
      }
    }),
  );
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? 0;
}

function option(name: string, fallback: number): number {
  const at = process.argv.indexOf(name);
  return at === -1 ? fallback : Number(process.argv[at + 1]);
}

function row(...cells: string[]): string {
  return cells.map((cell, n) => (n === 0 ? cell.padEnd(32) : cell.padStart(10))).join('');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
