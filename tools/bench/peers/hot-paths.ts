import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseServer } from '../database-server.js';
import { alone, costOf, cpuOf, median, quantile, type Cost } from '../measure.js';
import { processorMsOfEnded } from '../processes.js';
import { inParallel } from '../requests.js';
import type { Account, FeedReader } from './feed-reader.js';

/** By `name|unit`, in the order of the report. */
export type Figures = Map<string, number | undefined>;

/** A program, and the figures that are added. */
interface Measured {
  readonly server: DatabaseServer;
  readonly reader: FeedReader;
  readonly figures: Figures;
}

const CONNECTIONS = 32;
const COMMANDS = 5;
/** Of requests that take less than the 10 ms in which the system counts CPU time. */
const MANY = 300;

/** What clients ask for with every synchronisation. */
export async function measureShortReads(measured: Measured): Promise<void> {
  const { reader } = measured;
  await measureReads(measured, 'page of 200', () => reader.page());
  await measureReads(measured, 'list of feeds with counts', () => reader.listFeeds());
  await measureReads(measured, 'changes: nothing', () => reader.changes(), MANY);
}

export async function measureMarks(measured: Measured): Promise<void> {
  const thousand = Array.from({ length: 1000 }, (_, n) => n);
  let read = false;
  await measureReads(measured, 'mark 1,000 read or unread', () =>
    measured.reader.mark(thousand, (read = !read)),
  );
}

/** Means of CPU time, medians of wall time. */
export async function measureReads(
  { server, reader, figures }: Measured,
  name: string,
  work: () => Promise<unknown>,
  count = 9,
): Promise<void> {
  const costs: Cost[] = [];
  for (let n = -Math.min(2, count - 1); n < count; n += 1) {
    const cost = await costOf(server, reader, async () => void (await work()));
    // The first ones warm up.
    if (n >= 0) {
      costs.push(cost);
    }
  }
  figures.set(`${name}|CPU ms`, costs.map(cpuOf).reduce((sum, one) => sum + one, 0) / count);
  figures.set(`  wall time, ${name}|ms`, median(costs.map(({ wallMs }) => wallMs)));
}

/** Half of the requests read changes, half set a flag; the accounts take turns. */
export async function measureConnections(
  { server, reader, figures }: Measured,
  accounts: readonly Account[],
  requests: number,
): Promise<void> {
  const latencies: number[] = [];
  const talk = (count: number) =>
    inParallel(CONNECTIONS, count, async (n) => {
      const account = accounts[(n >> 1) % accounts.length];
      const began = performance.now();
      await (n % 2 === 0 ? reader.changes(account) : reader.mark([n % 1000], n % 4 === 1, account));
      latencies.push(performance.now() - began);
    });
  await talk(CONNECTIONS * 4);
  latencies.length = 0;
  const cost = await costOf(server, reader, () => talk(requests));
  const name = `${CONNECTIONS} connections of ${accounts.length === 1 ? 'one account' : 'all accounts'}`;
  figures.set(`${name}|requests per s`, (requests * 1000) / cost.wallMs);
  figures.set(`${name}|CPU ms per request`, cpuOf(cost) / requests);
  figures.set(`${name}, p99|ms`, quantile(latencies, 0.99));
}

/** Longer than the minute after which last uses are written. */
const PASS_MS = 65_000;

/**
 * Clients that ask for news now and then: each account once in a pass, evenly spread. All that the program does
 * meanwhile is counted, less what it does in a pass without polls. Programs take turns; the others are suspended.
 *
 * @returns the figures of each program
 */
export async function measurePolls(
  server: DatabaseServer,
  readers: readonly FeedReader[],
  { accounts, feeds, passes }: { accounts: number; feeds: number; passes: number },
): Promise<Figures[]> {
  const library = { accounts: accounts + 1, feeds, itemsPerFeed: 1, oneOf: feeds / 100 };
  const passOf = (reader: FeedReader, polled: readonly Account[]) =>
    alone(readers, reader, () =>
      costOf(server, reader, async () => {
        const polls = polled.map(async (account, n) => {
          await pause((n / polled.length) * PASS_MS);
          await reader.changes(account);
        });
        await Promise.all([...polls, pause(PASS_MS)]);
      }),
    );
  const found: { reader: FeedReader; polled: readonly Account[]; idle: Cost; costs: Cost[] }[] = [];
  for (const reader of readers) {
    const [, ...polled] = await alone(readers, reader, () => reader.fill(library));
    const idle = await passOf(reader, []);
    // A first use is written at once.
    await inParallel(4, polled.length, (n) => reader.changes(polled[n]));
    found.push({ reader, polled, idle, costs: [] });
  }
  for (let pass = 0; pass < passes; pass += 1) {
    for (const { reader, polled, costs } of found) {
      costs.push(await passOf(reader, polled));
    }
  }
  return found.map(({ idle, costs }) => {
    const ofOne = (figure: (cost: Cost) => number) =>
      (median(costs.map(figure)) - figure(idle)) / accounts;
    return new Map([
      ['a poll of each account without news|CPU ms', ofOne(cpuOf)],
      ['  of the program, a poll|CPU ms', ofOne(({ serviceMs }) => serviceMs)],
      ['  SQL statements, a poll|number', ofOne(({ statements }) => statements ?? NaN)],
      ['nothing to do|CPU ms per s', (cpuOf(idle) / PASS_MS) * 1000],
    ]);
  });
}

/** A program that starts on a database that it has used, and commands beside it. */
export async function measureStart({ server, reader, figures }: Measured): Promise<void> {
  figures.set('start until it answers, wall|s', (await reader.restart()) / 1000);
  figures.set('start until it answers|CPU s', reader.processorMs() / 1000);
  for (const [name, command] of [
    ['a command that asks little', reader.runCommand],
    ['a command that exports the list of feeds', reader.runExport],
  ] as const) {
    await command();
    const before = processorMsOfEnded();
    const cost = await costOf(server, reader, async () => {
      for (let n = 0; n < COMMANDS; n += 1) {
        await command();
      }
    });
    const ownMs = processorMsOfEnded() - before;
    figures.set(`${name}|CPU s`, (cpuOf(cost) + ownMs) / COMMANDS / 1000);
    figures.set(`  wall time, ${name}|s`, cost.wallMs / COMMANDS / 1000);
  }
}
