import type { Command } from 'commander';
import { mkdir, statfs } from 'node:fs/promises';
import { inOwnProcess } from '../../src/common/command-line/own-process.js';
import { say, table } from '../../src/common/command-line/say.js';
import { wholeNumberBetween } from '../../src/common/command-line/whole-number.js';
import { loadConfig } from '../../src/settings.js';
import { startCapacityPublisher } from './capacity-publisher.js';
import { estimate, USAGE, type Estimate } from './estimate.js';
import { measureCapacity, type Amounts, type Measurement } from './measure-capacity.js';
import { startMeasuredService } from './measured-service.js';

const GIB = 1024 ** 3;

const positive = wholeNumberBetween(1, 999_999_999);

interface Options extends Amounts {
  readonly diskGib?: number;
  readonly json?: true;
}

/** Capacity of an operator's own machine in users. */
export function registerCapacityCommand(program: Command): void {
  inOwnProcess(program.command('bench:capacity'))
    .description('measure how many users this machine carries, in a database of its own')
    .option('--feeds <number>', 'feeds to fetch', positive, 500)
    .option('--accounts <number>', 'accounts that follow them', positive, 50)
    .option('--seconds <number>', 'how long clients synchronise', positive, 20)
    .option(
      '--disk-gib <number>',
      'disk for the database; default: what is free, if it is embedded',
      positive,
    )
    .option('--json', 'print JSON')
    .action(benchCapacity);
}

async function benchCapacity({ diskGib, json, ...amounts }: Options): Promise<void> {
  const config = loadConfig(process.env);
  await mkdir(config.dataDir, { recursive: true });
  const publisher = await startCapacityPublisher();
  try {
    const service = await startMeasuredService(config);
    try {
      const tell = json ? () => {} : say;
      const measured = await measureCapacity(service, publisher, amounts, tell);
      const disk = diskGib === undefined ? await freeBytes(service.dataDir) : diskGib * GIB;
      const users = estimate(measured, disk);
      say(
        json ? JSON.stringify({ measured, users, usage: USAGE }, null, 2) : report(measured, users),
      );
    } finally {
      await service.stop();
    }
  } finally {
    await publisher.close();
  }
}

async function freeBytes(folder: string | undefined): Promise<number | undefined> {
  if (folder === undefined) {
    return undefined;
  }
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function report(measured: Measurement, users: Estimate): string {
  const rounded = (value: number) => Number(value.toPrecision(2)).toLocaleString('en');
  const rates = table([
    ['Measured, with the clients on the same machine', ''],
    ['first fetches', `${rounded(measured.firstFetchesPerSecond)} per second`],
    ['fetches, one in ten with news', `${rounded(measured.fetchesPerSecond)} per second`],
    ['items delivered', `${rounded(measured.deliveredItemsPerSecond)} per second`],
    ['synchronisations', `${rounded(measured.syncsPerSecond)} per second`],
    ['their time', `${rounded(measured.syncP50Ms)} ms, p99 ${rounded(measured.syncP99Ms)} ms`],
    ['an item of a user', `${rounded(measured.bytesPerItem)} bytes`],
    ['an article', `${rounded(measured.bytesPerArticle)} bytes`],
  ]);
  const limits = table([
    ['Users, with half of the machine in reserve', ''],
    ['synchronisations alone', rounded(users.bySyncs)],
    ['fetches alone', rounded(users.byFetches)],
    ['new items alone', rounded(users.byDeliveries)],
    ['all of it', rounded(users.byWork)],
    ['disk', users.byDisk === undefined ? 'not known; see --disk-gib' : rounded(users.byDisk)],
  ]);
  return `\n${rates}\n\n${limits}\n\n${ASSUMPTIONS}`;
}

const ASSUMPTIONS = `Assumed of each user: a synchronisation every ${USAGE.syncEverySeconds / 60} minutes, ${USAGE.feedsPerUser} feeds that nobody else has, fetched
hourly, ${USAGE.newItemsPerDay} new items a day, ${USAGE.keptItems.toLocaleString('en')} kept. A feed of many users is fetched and stored once.`;
