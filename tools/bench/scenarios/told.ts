import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { rss, type RssItem } from '../../../test/support/feed-server.js';
import type { Laboratory } from '../laboratory.js';
import { costOf } from '../measure.js';
import { addPeople } from '../people.js';
import { inParallel, send } from '../requests.js';
import type { MeasuredService } from '../service.js';

const FEEDS = 100;
/** Fewer than the notices of a rule that an hour allows. */
const ROUNDS = 4;
const AT_ONCE = 16;
const POLL_MS = 20;
const PATIENCE_MS = 120_000;

/**
 * From the reading of a document until a notice is at the server of the user's channel, with no client
 * connected: a publisher, rules that tell, and a server with the shape of ntfy. Of one feed that all readers
 * follow, and of a hundred feeds that publish together.
 */
export async function measureTold(
  laboratory: Laboratory,
  { readers }: { readonly readers: number },
): Promise<void> {
  const { report, server } = laboratory;
  const world = await startWorld();
  try {
    await laboratory.withServices({ GATEFOLD_SCHEDULER: 'on' }, async ([service]) => {
      if (service === undefined) {
        return;
      }
      await settle(service, world, readers);
      report.begin('told', `${readers} readers, ${ROUNDS} articles each`);
      for (const [name, feeds] of [
        ['one feed that all follow', ['all']],
        [`${FEEDS} feeds that publish together`, feedNames()],
      ] as const) {
        const seconds: number[] = [];
        const costs: number[] = [];
        for (let round = 0; round < ROUNDS; round += 1) {
          const cost = await costOf(server, service, async () => {
            seconds.push(...(await publishAndWait(service, world, feeds, readers)));
          });
          costs.push((cost.serviceMs + (cost.databaseMs ?? 0)) / readers);
        }
        const sorted = seconds.toSorted((a, b) => a - b);
        const share = (of: number) => sorted[Math.ceil(sorted.length * of) - 1];
        report.add(`${name}: p50`, 's', [share(0.5)]);
        report.add('  p99', 's', [share(0.99)]);
        report.add('  the last', 's', [share(1)]);
        report.add('  notices', 'number', [seconds.length]);
        report.add('  CPU of all', 'CPU ms per notice', [
          costs.reduce((a, b) => a + b) / costs.length,
        ]);
      }
    });
  } finally {
    world.stop();
  }
}

const feedNames = () => Array.from({ length: FEEDS }, (_, n) => `of-${n}`);

/** Readers with a rule and a channel each, who follow the feed of all and one of a hundred. */
async function settle(service: MeasuredService, world: World, readers: number): Promise<void> {
  for (const feed of ['all', ...feedNames()]) {
    world.publish(feed);
  }
  const people = await addPeople(service, 'told-', readers);
  await inParallel(AT_ONCE, readers, async (n) => {
    const person = people[n] ?? service;
    for (const feed of ['all', `of-${n % FEEDS}`]) {
      await send(person, 'POST', '/feeds', { url: `${world.url}/feeds/${feed}` });
    }
    const address = `${world.url}/told/${n}`;
    await send(person, 'POST', '/channels', { kind: 'webhook', form: 'ntfy', address });
    const actions = [{ type: 'notify', urgent: false }];
    await send(person, 'POST', '/rules', { name: 'Quakes', query: 'intitle:quake', actions });
  });
  // Compiled conditions of rules that are younger than a minute are not remembered.
  await pause(60_000);
  // What comes together with the first document of a feed is not told.
  await inParallel(AT_ONCE, readers, (n) => send(people[n] ?? service, 'GET', '/feeds'));
}

/** @returns seconds from the reading of the documents until each reader was told */
async function publishAndWait(
  service: MeasuredService,
  world: World,
  feeds: readonly string[],
  readers: number,
): Promise<number[]> {
  const known = world.told.length;
  for (const feed of feeds) {
    world.publish(feed);
  }
  await service.query(
    `update source_schedule set due_at = now()
      where source_id in (select id from source where url = any($1))`,
    [feeds.map((feed) => `${world.url}/feeds/${feed}`)],
  );
  const begun = performance.now();
  while (world.told.length < known + readers) {
    if (performance.now() - begun > PATIENCE_MS) {
      throw new Error(`Only ${world.told.length - known} of ${readers} readers were told.`);
    }
    await pause(POLL_MS);
  }
  // Repeats would come now.
  await pause(500);
  if (world.told.length !== known + readers) {
    throw new Error(`${world.told.length - known} notices came for ${readers} readers.`);
  }
  return world.told.slice(known).map(({ reader, at }) => {
    const feed = feeds.length === 1 ? feeds[0] : `of-${reader % FEEDS}`;
    return (at - (world.readAt.get(feed ?? '') ?? 0)) / 1000;
  });
}

interface World {
  readonly url: string;
  /** When the document of a feed was last sent to its end, in ms. */
  readonly readAt: ReadonlyMap<string, number>;
  /** In order of arrival. */
  readonly told: readonly { readonly reader: number; readonly at: number }[];
  /** Adds an article to a feed. */
  publish(feed: string): void;
  stop(): void;
}

async function startWorld(): Promise<World> {
  const items = new Map<string, RssItem[]>();
  const readAt = new Map<string, number>();
  const told: { reader: number; at: number }[] = [];
  const server = createServer((request, response) => {
    const [, place = '', name = ''] = (request.url ?? '').split('/');
    if (place === 'feeds') {
      request.resume();
      response.once('finish', () => readAt.set(name, performance.now()));
      response.setHeader('content-type', 'application/rss+xml');
      response.end(rss({ title: name, items: items.get(name) ?? [] }));
      return;
    }
    const body: Buffer[] = [];
    request.on('data', (piece: Buffer) => body.push(piece));
    request.once('end', () => {
      const { topic } = JSON.parse(Buffer.concat(body).toString()) as { topic: string };
      told.push({ reader: Number(topic), at: performance.now() });
      response.end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    readAt,
    told,
    publish(feed) {
      const known = items.get(feed) ?? [];
      const title = known.length === 0 ? 'Beginning' : `Quake number ${known.length}`;
      const guid = `${feed}/${known.length}`;
      const body = `<p>${'What happened, and where. '.repeat(40)}</p>`;
      items.set(feed, [{ title, guid, body, pubDate: new Date() }, ...known]);
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
