import { setTimeout as pause } from 'node:timers/promises';
import { startDatabaseServer } from './database-server.js';
import { startFeedFarm, type FeedFarm } from './feed-farm.js';
import { costOf, cpuOf, median, sumOf, type Cost } from './measure.js';
import { numberOption, textOption } from './options.js';
import { availablePeers } from './peers/available.js';
import type { FeedReader } from './peers/feed-reader.js';
import {
  measureConnections,
  measureMarks,
  measurePolls,
  measureReads,
  measureShortReads,
  measureStart,
  type Figures,
} from './peers/hot-paths.js';
import { peakMibOf } from './processes.js';
import { print, Report } from './report.js';
import { opmlOf, runRound, untilFetched } from './rounds.js';

/*
 * The same work with this checkout and with other feed readers, on the same feeds and the same
 * PostgreSQL server, in turns: `npm run bench:peers`.
 *
 * --feeds 200      of 30 items each                 --runs 3     whole runs; the figures are medians
 * --rounds 3       repetitions within a run         --hosts 200  hosts of the feeds; default: one each
 * --requests 1000  requests of 32 connections       --pollers 2000  accounts of 100 of 1,000 feeds; 0: none
 * --database, --json, --publish                     as for `npm run bench`
 */

const LATENCY_MS = 100;
/** Exceeds the longest interval of background work. */
const BACKGROUND_MS = 22_000;
const QUIET_MS = 880;
const FEEDS_OF_POLLERS = 1000;
/** Of Gatefold, or the ratio to Miniflux where that has the work; "x" stands for a ratio. */
const AIMS: Readonly<Record<string, string>> = {
  'memory, idle': '110',
  'import, first fetches and search index': '0.33 x',
  'first list after the import': '200',
  'memory, peak of the import': '280',
  'round, a tenth publishes 3 items': '0.30 x',
  'memory, 60 s after all of this': '150',
  'mark 1,000 read or unread': '16',
  'start until it answers': '1.5',
  'a command that asks little': '0.3',
  'a poll of each account without news': '2.0',
};
const feeds = numberOption('--feeds', 200);
const rounds = numberOption('--rounds', 3);
const runs = numberOption('--runs', 3);
const requests = numberOption('--requests', 1000);
const pollers = numberOption('--pollers', 2000);

const server = await startDatabaseServer(textOption('--database'));
const farm = await startFeedFarm(numberOption('--hosts', feeds));
try {
  const peers = await availablePeers(server);
  const report = new Report(
    peers.map(({ name }) => name),
    AIMS,
  );
  const samples = peers.map(() => new Map<string, (number | undefined)[]>());
  const about: string[] = [];
  const keep = (n: number, figures: Figures) => {
    for (const [name, value] of figures) {
      samples[n]?.set(name, [...(samples[n]?.get(name) ?? []), value]);
    }
  };
  for (let run = 0; run < runs; run += 1) {
    for (const [n, peer] of peers.entries()) {
      await farm.startAnew();
      const reader = await peer.start();
      about[n] = reader.about;
      try {
        keep(n, await measure(reader, farm));
      } finally {
        await reader.stop();
      }
      print(`${new Date().toISOString()} run ${run + 1} of ${runs}: ${reader.about}`);
    }
  }
  if (pollers > 0) {
    const readers: FeedReader[] = [];
    try {
      for (const peer of peers) {
        readers.push(await peer.start());
      }
      const polled = { accounts: pollers, feeds: FEEDS_OF_POLLERS, passes: Math.min(runs, 2) };
      for (const [n, figures] of (await measurePolls(server, readers, polled)).entries()) {
        keep(n, figures);
      }
    } finally {
      for (const reader of readers) {
        await reader.stop();
      }
    }
  }
  const sizes = `${feeds} feeds of 30 items; ${pollers} accounts of 100 feeds poll; ${server.version}`;
  report.begin('peers', `${about.join(' and ')}; ${sizes}; medians of ${runs} runs`);
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
  const measured = { server, reader, figures };
  figures.set('memory, idle|MiB', reader.memoryMib());

  const urls = Array.from({ length: feeds }, (_, n) => farm.urlOf(n));
  const peakMib = await peakMibOf(reader.pid, async () => {
    let listMs = 0;
    const first = await costOf(server, reader, async () => {
      await farm.watch();
      await reader.importFeeds(opmlOf(urls));
      await untilFetched(farm, reader, feeds);
      const began = performance.now();
      await reader.listFeeds();
      listMs = performance.now() - began;
    });
    // Miniflux builds its search index with every insert, Gatefold in the background.
    const later = await costOf(server, reader, untilQuiet);
    const all = sumOf([first, later]);
    figures.set('import, first fetches and search index|CPU ms per feed', cpuOf(all) / feeds);
    figures.set('  of the program, import|CPU ms', all.serviceMs / feeds);
    figures.set('  of the background, import|CPU ms', cpuOf(later) / feeds);
    figures.set('  SQL statements, import|per feed', all.statements && all.statements / feeds);
    figures.set('import and first fetches, wall|s', first.wallMs / 1000);
    figures.set('first list after the import|ms', listMs);
  });
  figures.set('memory, peak of the import|MiB', peakMib);

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
  figures.set('database|MiB', await reader.databaseMib());

  await measureShortReads(measured);
  let unread = 0;
  await measureReads(measured, 'all unread', async () => (unread = await reader.allUnread()), 2);
  figures.set('  items, all unread|number', unread);
  const compressed = () => reader.allUnread({ 'accept-encoding': 'gzip' });
  await measureReads(measured, 'all unread, compressed', compressed, 2);
  await pause(60_000);
  figures.set('memory, 60 s after all of this|MiB', reader.memoryMib());
  await measureMarks(measured);
  await measureConnections(measured, [reader.caller], requests);
  await measureStart(measured);
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
