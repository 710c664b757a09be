import type { DatabaseServer } from '../database-server.js';
import { costOf, cpuOf, median, quantile, type Cost } from '../measure.js';
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

/** What clients ask for with every synchronisation. */
export async function measureShortReads(measured: Measured): Promise<void> {
  const { reader } = measured;
  await measureReads(measured, 'page of 200', () => reader.page());
  await measureReads(measured, 'list of feeds with counts', () => reader.listFeeds());
  await measureReads(measured, 'changes: nothing', () => reader.changes());
}

export async function measureMarks(measured: Measured): Promise<void> {
  const thousand = Array.from({ length: 1000 }, (_, n) => n);
  let read = false;
  await measureReads(measured, 'mark 1,000 read or unread', () =>
    measured.reader.mark(thousand, (read = !read)),
  );
}

/** Wall time as a median, CPU time as a mean. */
export async function measureReads(
  { server, reader, figures }: Measured,
  name: string,
  work: () => Promise<void>,
  count = 9,
): Promise<void> {
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
  figures.set(`  CPU, ${name}|ms per request`, cpuOf(cost) / requests);
  figures.set(`  p99, ${name}|ms`, quantile(latencies, 0.99));
}
