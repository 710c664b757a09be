import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { startTestServer } from '../test/support/test-server.js';
import { startApp, type TestApp, type TestUser } from '../test/support/start-app.js';
import { basic } from '../test/support/api-client.js';
import { seedItems } from './seed-items.js';

/*
 * The hot paths over real HTTP, on a database of some size. Machines differ and are noisy, so look
 * at the ratios: each line is compared with the cheapest authenticated request of the same run.
 * `npm run bench`, or `npm run bench -- --feeds 500 --items 100` for 500 feeds of 100 items.
 */

const feeds = option('--feeds', 250);
const itemsPerFeed = option('--items', 200);
const rounds = option('--rounds', 15);

const server = await startTestServer();
const app = await startApp({ GATEFOLD_DATABASE_CONNECTIONS: '20' });
try {
  const user = await app.signIn();
  print(`${feeds} feeds of ${itemsPerFeed} items, ${rounds} rounds, medians`);
  print(
    `seeded in ${(await timed(() => seedItems(app, user, feeds, itemsPerFeed))).toFixed(0)} ms\n`,
  );
  await measure(app, user);
} finally {
  await app.stop();
  await server.stop();
}

async function measure(target: TestApp, user: TestUser): Promise<void> {
  const api = `${target.url}/index.php/apps/news/api/v1-3`;
  const headers = { authorization: basic(user.credentials) };
  const get = async (path: string) => drain(await fetch(api + path, { headers }));
  const post = async (path: string, body: object) =>
    drain(
      await fetch(api + path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );

  await median(() => get('/version'));
  const base = await median(() => get('/version'));
  print(row('request', 'median', 'ratio', 'answer'));
  const report = async (name: string, work: () => Promise<number>, prepare = async () => {}) => {
    let bytes = 0;
    const ms = await median(async () => {
      bytes = await work();
    }, prepare);
    print(
      row(name, `${ms.toFixed(2)} ms`, (ms / base).toFixed(1), `${(bytes / 1024).toFixed(0)} kB`),
    );
  };

  const total = feeds * itemsPerFeed;
  const newest = Math.floor(Date.now() / 1000) + 60;
  await report('GET /version (the unit)', () => get('/version'));
  await report('GET /feeds', () => get('/feeds'));
  await report('200 newest items', () => get('/items?batchSize=200'));
  await report('200 items from the middle', () => get(`/items?batchSize=200&offset=${total >> 1}`));
  await report('200 items of a folder', () => get('/items?batchSize=200&type=1&id=0'));
  await report('one feed', () => get('/items?type=0&id=1'));
  await report('200 unread', () => get('/items?batchSize=200&getRead=false'));
  await report('changed: nothing', () => get(`/items/updated?lastModified=${newest}&type=3`));
  await report('all items', () => get('/items'));
  for (const encoding of ['identity', 'gzip', 'br']) {
    await report(`all items, ${encoding}`, () =>
      wireBytes(`${api}/items`, { ...headers, 'accept-encoding': encoding }),
    );
  }
  const some = Array.from({ length: 1000 }, (_, n) => total - n);
  await report(
    'mark 1,000 read',
    () => post('/items/read/multiple', { itemIds: some }),
    async () => void (await post('/items/unread/multiple', { itemIds: some })),
  );
  await report(
    'mark all read',
    () => post('/items/read', { newestItemId: total }),
    async () => void (await target.database.query('update item set unread = true')),
  );

  const first = await firstByte(`${api}/items`, headers);
  print(`\nfirst byte of all items after ${first.toFixed(1)} ms`);
  const perSecond = await throughput(32, 2000, () => get('/version'));
  print(`32 clients with Basic credentials: ${perSecond.toFixed(0)} requests/s`);
  const peak = process.memoryUsage().rss;
  await Promise.all(Array.from({ length: 4 }, () => get('/items')));
  print(
    `4 clients reading all items at once: resident memory ${mib(peak)} to ${mib(process.memoryUsage().rss)} MiB`,
  );
}

/** Reads an answer to its end without keeping it. @returns its bytes */
async function drain(answer: Response): Promise<number> {
  if (answer.status !== 200) {
    throw new Error(`${answer.url} answered ${answer.status}`);
  }
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += (chunk as Uint8Array).length;
  }
  return bytes;
}

/** Reads an answer as it comes over the network. @returns its bytes, not decompressed */
async function wireBytes(url: string, headers: Record<string, string>): Promise<number> {
  const asking = request(url, { headers }).end();
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length;
  }
  return bytes;
}

async function firstByte(url: string, headers: Record<string, string>): Promise<number> {
  return median(async () => {
    const answer = await fetch(url, { headers });
    const reader = answer.body?.getReader();
    await reader?.read();
    await reader?.cancel();
  });
}

async function throughput(clients: number, requests: number, work: () => Promise<unknown>) {
  const ms = await timed(async () => {
    let left = requests;
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while ((left -= 1) >= 0) {
          await work();
        }
      }),
    );
  });
  return (requests / ms) * 1000;
}

async function median(work: () => Promise<unknown>, prepare = async () => {}): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds + 2; round += 1) {
    await prepare();
    times.push(await timed(work));
  }
  // The first two rounds warm up.
  const sorted = times.slice(2).toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function option(name: string, fallback: number): number {
  const at = process.argv.indexOf(name);
  return at === -1 ? fallback : Number(process.argv[at + 1]);
}

function row(...cells: string[]): string {
  return cells.map((cell, n) => (n === 0 ? cell.padEnd(28) : cell.padStart(12))).join('');
}

function mib(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
