import { setTimeout as pause } from 'node:timers/promises';
import { startDatabaseServer } from './database-server.js';
import { startFeedFarm, type FeedFarm } from './feed-farm.js';
import { costOf, median, quantile, type Cost } from './measure.js';
import { numberOption, textOption } from './options.js';
import type { FeedReader, Peer } from './peers/feed-reader.js';
import { gatefold } from './peers/gatefold.js';
import { miniflux } from './peers/miniflux.js';
import { print, Report } from './report.js';
import { inParallel } from './requests.js';
import { opmlOf, runRound, untilFetched } from './rounds.js';

/*
 * The same work with this checkout and with other feed readers, on the same feeds and the same
 * PostgreSQL server, one program at a time: `npm run bench:peers`.
 *
 * --feeds 200      of 30 items each                 --runs 3     whole runs; the figures are medians
 * --rounds 3       repetitions within a run         --hosts 200  hosts of the feeds; default: one each
 * --requests 1000  requests of 32 connections       --database, --json, --publish  as for `npm run bench`
 */

const LATENCY_MS = 100;
const CONNECTIONS = 32;
/** Exceeds the longest interval of background work. */
const BACKGROUND_MS = 22_000;
const QUIET_MS = 880;
const feeds = numberOption('--feeds', 200);
const rounds = numberOption('--rounds', 3);
const runs = numberOption('--runs', 3);
const requests = numberOption('--requests', 1000);

const server = await startDatabaseServer(textOption('--database'));
const farm = await startFeedFarm(numberOption('--hosts', feeds));
try {
  const peers = await available([gatefold(server), miniflux(server)]);
  print(
    'SKIPPED FreshRSS: Debian has no package of it. The figures in docs/performance.md are older.',
  );
  const samples = peers.map(() => new Map<string, (number | undefined)[]>());
  const about: string[] = [];
  for (let run = 0; run < runs; run += 1) {
    for (const [n, peer] of peers.entries()) {
      await farm.startAnew();
      const reader = await peer.start();
      about[n] = reader.about;
      try {
        for (const [name, value] of await measure(reader, farm)) {
          samples[n]?.set(name, [...(samples[n]?.get(name) ?? []), value]);
        }
      } finally {
        await reader.stop();
      }
      print(`run ${run + 1} of ${runs}: ${reader.about}`);
    }
  }
  const report = new Report(peers.map(({ name }) => name));
  const title = `${feeds} feeds of 30 items, ${server.version}, medians of ${runs} runs`;
  report.begin('peers', `${about.join(' and ')}; ${title}`);
  for (const name of samples[0]?.keys() ?? []) {
    const [words = '', unit = ''] = name.split('|');
    report.add(
      words,
      unit,
      samples.map((ones) => medianOf(ones.get(name))),
    );
  }
  report.keep();
} finally {
  await farm.stop();
  await server.stop();
}

async function available(candidates: readonly Peer[]): Promise<Peer[]> {
  const found: Peer[] = [];
  for (const peer of candidates) {
    const reason = await peer.prepare();
    if (reason === undefined) {
      found.push(peer);
    } else {
      print(`SKIPPED ${peer.name}: ${reason}`);
    }
  }
  return found;
}

/** @returns figures by name and unit */
async function measure(
  reader: FeedReader,
  farm: FeedFarm,
): Promise<Map<string, number | undefined>> {
  const figures = new Map<string, number | undefined>();
  const cpuOf = ({ serviceMs, databaseMs = 0 }: Cost) => serviceMs + databaseMs;
  figures.set('memory, idle|MiB', reader.memoryMib());

  const urls = Array.from({ length: feeds }, (_, n) => farm.urlOf(n));
  const first = await costOf(server, reader, async () => {
    await farm.watch();
    await reader.importFeeds(opmlOf(urls));
    await untilFetched(farm, reader, feeds);
    await reader.listFeeds();
  });
  figures.set('OPML import and first fetches|CPU ms per feed', cpuOf(first) / feeds);
  figures.set('  of the program|CPU ms', first.serviceMs / feeds);
  figures.set('  of PostgreSQL|CPU ms', first.databaseMs && first.databaseMs / feeds);
  figures.set('  wall time|s', first.wallMs / 1000);
  figures.set('memory, after first fetches|MiB', reader.memoryMib());
  // The search index of the first fetches is built in the background.
  const later = await costOf(server, reader, untilQuiet);
  figures.set('work in the background afterwards|CPU ms per feed', cpuOf(later) / feeds);

  await roundsOf('round, nothing changed', async () => {});
  await farm.setLatency(LATENCY_MS);
  await roundsOf(`round, nothing changed, ${LATENCY_MS} ms latency`, async () => {});
  await farm.setLatency(0);
  let publishes = 0;
  await roundsOf('round, a tenth publishes 3 items', async () => {
    publishes += 1;
    const numbers = Array.from({ length: feeds }, (_, n) => n);
    await farm.publish(numbers.filter((n) => n % 10 === publishes % 10));
  });
  figures.set('memory, after rounds|MiB', reader.memoryMib());
  figures.set('database|MiB', await reader.databaseMib());

  await reads('page of 200', () => reader.page());
  await reads('list of feeds with counts', () => reader.listFeeds());
  await reads('changes: nothing', () => reader.changes());
  await reads('all unread', () => reader.allUnread(), 2);
  await reads('all unread, compressed', () => reader.allUnread({ 'accept-encoding': 'gzip' }), 2);
  const thousand = Array.from({ length: 1000 }, (_, n) => n);
  let read = false;
  await reads('mark 1,000 read or unread', () => reader.mark(thousand, (read = !read)));
  await connections();
  return figures;

  async function roundsOf(name: string, prepare: () => Promise<unknown>) {
    const costs: Cost[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await prepare();
      const cost = await costOf(server, reader, async () => {
        const { wallMs } = await runRound(farm, reader, feeds);
        await reader.listFeeds();
        return wallMs;
      });
      costs.push(cost);
    }
    figures.set(`${name}|CPU ms per feed`, median(costs.map(cpuOf)) / feeds);
    const ofProgram = median(costs.map(({ serviceMs }) => serviceMs)) / feeds;
    figures.set(`  of the program, ${name}|CPU ms per feed`, ofProgram);
    figures.set(`${name}, wall|s`, median(costs.map(({ wallMs }) => wallMs)) / 1000);
  }

  async function reads(name: string, work: () => Promise<void>, count = 9) {
    const costs: Cost[] = [];
    for (let n = -2; n < count; n += 1) {
      const cost = await costOf(server, reader, work);
      // The first two warm up.
      if (n >= 0) {
        costs.push(cost);
      }
    }
    figures.set(`${name}|ms`, median(costs.map(({ wallMs }) => wallMs)));
    figures.set(`  CPU, ${name}|ms`, costs.map(cpuOf).reduce((sum, one) => sum + one, 0) / count);
  }

  /** Half of the requests read changes, half set a flag, all of one account. */
  async function connections() {
    const latencies: number[] = [];
    const talk = (count: number) =>
      inParallel(CONNECTIONS, count, async (n) => {
        const began = performance.now();
        await (n % 2 === 0 ? reader.changes() : reader.mark([n % 1000], n % 4 === 1));
        latencies.push(performance.now() - began);
      });
    await talk(CONNECTIONS * 4);
    latencies.length = 0;
    const cost = await costOf(server, reader, () => talk(requests));
    const name = `${CONNECTIONS} connections of one account`;
    figures.set(`${name}|requests per s`, (requests * 1000) / cost.wallMs);
    figures.set(`  CPU, ${name}|ms per request`, cpuOf(cost) / requests);
    figures.set(`  p99, ${name}|ms`, quantile(latencies, 0.99));
  }

  async function untilQuiet() {
    for (;;) {
      const cost = await costOf(server, reader, () => pause(BACKGROUND_MS));
      if (cpuOf(cost) < QUIET_MS) {
        return;
      }
    }
  }
}

function medianOf(values: readonly (number | undefined)[] = []): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : median(known);
}
