import { setTimeout as pause } from 'node:timers/promises';
import { startDatabaseServer } from './database-server.js';
import { startFeedFarm, type FeedFarm } from './feed-farm.js';
import { costOf, cpuOf, median, type Cost } from './measure.js';
import { numberOption, textOption } from './options.js';
import { availablePeers } from './peers/available.js';
import type { FeedReader } from './peers/feed-reader.js';
import {
  measureConnections,
  measureMarks,
  measureReads,
  measureShortReads,
  type Figures,
} from './peers/hot-paths.js';
import { print, Report } from './report.js';
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
  const peers = await availablePeers(server);
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

/** @returns figures by name and unit */
async function measure(reader: FeedReader, farm: FeedFarm): Promise<Figures> {
  const figures: Figures = new Map();
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

  const measured = { server, reader, figures };
  await measureShortReads(measured);
  await measureReads(measured, 'all unread', () => reader.allUnread(), 2);
  const compressed = () => reader.allUnread({ 'accept-encoding': 'gzip' });
  await measureReads(measured, 'all unread, compressed', compressed, 2);
  await measureMarks(measured);
  await measureConnections(measured, [reader.caller], requests);
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
