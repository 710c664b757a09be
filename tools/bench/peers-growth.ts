import { startDatabaseServer } from './database-server.js';
import { numberOption, textOption } from './options.js';
import { availablePeers } from './peers/available.js';
import type { FeedReader, Library } from './peers/feed-reader.js';
import {
  measureConnections,
  measureMarks,
  measureShortReads,
  type Figures,
} from './peers/hot-paths.js';
import { print, Report } from './report.js';

/*
 * What clients do often, with more accounts of the same feeds and with more items, here and in other feed
 * readers: `npm run bench:peers-growth`. Each library is filled by SQL into an empty database.
 *
 * --feeds 1000     that each account follows       --requests 2000  of 32 connections
 * --accounts 50    in the second library           --items 1000     of a feed, in the third library
 * --database, --json, --publish                    as for `npm run bench`
 */

const ITEMS_PER_FEED = 30;
const feeds = numberOption('--feeds', 1000);
const requests = numberOption('--requests', 2000);
const accounts = numberOption('--accounts', 50);
const itemsPerFeed = numberOption('--items', 1000);
const libraries: readonly Library[] = [
  { accounts: 1, feeds, itemsPerFeed: ITEMS_PER_FEED },
  { accounts, feeds, itemsPerFeed: ITEMS_PER_FEED },
  { accounts: 1, feeds, itemsPerFeed },
];

const server = await startDatabaseServer(textOption('--database'));
try {
  const peers = await availablePeers(server);
  const report = new Report(peers.map(({ name }) => name));
  report.begin('peers-growth', `${feeds} feeds, ${server.version}`);
  for (const library of libraries) {
    const samples: Figures[] = [];
    for (const peer of peers) {
      const reader = await peer.start();
      try {
        samples.push(await measure(reader, library));
        print(`${reader.about}: ${sizeOf(library)}`);
      } finally {
        await reader.stop();
      }
    }
    for (const name of samples[0]?.keys() ?? []) {
      const [words = '', unit = ''] = name.split('|');
      const values = samples.map((figures) => figures.get(name));
      report.add(words.startsWith(' ') ? words : `${sizeOf(library)}: ${words}`, unit, values);
    }
  }
  report.keep();
} finally {
  await server.stop();
}

async function measure(reader: FeedReader, library: Library): Promise<Figures> {
  const figures: Figures = new Map();
  const measured = { server, reader, figures };
  const [first, ...others] = await reader.fill(library);
  figures.set('database|MiB', await reader.databaseMib());
  await measureShortReads(measured);
  await measureMarks(measured);
  if (first !== undefined) {
    await measureConnections(measured, [first, ...others], requests);
  }
  figures.set('memory|MiB', reader.memoryMib());
  return figures;
}

function sizeOf({ accounts: number, itemsPerFeed: items }: Library): string {
  const all = (feeds * items).toLocaleString('en');
  return number === 1 ? `1 account, ${all} items` : `${number} accounts, ${all} items each`;
}
