import { performance } from 'node:perf_hooks';
import type { Laboratory } from '../laboratory.js';
import { alone, costOf, median, type Cost } from '../measure.js';
import { inParallel, send, sendUntilFirstByte } from '../requests.js';
import { insertItems } from '../seed-items.js';
import type { MeasuredService } from '../service.js';

/** The routes of a feed reader, one request at a time, each build in turn. */
export async function measureReading(
  laboratory: Laboratory,
  options: { readonly feeds: number; readonly itemsPerFeed: number; readonly rounds: number },
): Promise<void> {
  const { server, report } = laboratory;
  const { feeds, itemsPerFeed, rounds } = options;
  await laboratory.withServices({}, async (services) => {
    report.begin('reading', `${feeds} feeds of ${itemsPerFeed} items, ${rounds} rounds, medians`);
    for (const service of services) {
      await insertItems(service.query, 'admin', feeds, itemsPerFeed);
      await send(service, 'GET', '/items?batchSize=1');
      await service.query('vacuum analyze');
    }
    const total = feeds * itemsPerFeed;
    const newest = Math.floor(Date.now() / 1000) + 60;
    const some = Array.from({ length: 1000 }, (_, n) => total - n);
    const get = (
      name: string,
      address: string,
      headers: Record<string, string> = {},
      count = rounds,
    ) =>
      measure(name, (one) => send(one, 'GET', address, undefined, headers), {
        count,
        repeat: count < rounds ? 1 : 10,
      });

    await get('GET /version', '/version');
    await get('GET /feeds', '/feeds');
    await get('200 newest items', '/items?batchSize=200');
    await get('200 items from the middle', `/items?batchSize=200&offset=${total >> 1}`);
    await get('200 items of a folder', '/items?batchSize=200&type=1&id=0');
    await get('one feed', '/items?type=0&id=1');
    await get('200 unread', '/items?batchSize=200&getRead=false');
    await get('changed: nothing', `/items/updated?lastModified=${newest}&type=3`);
    await get('all items', '/items', {}, Math.ceil(rounds / 3));
    await get('all items, gzip', '/items', { 'accept-encoding': 'gzip' }, Math.ceil(rounds / 3));
    await measure('first byte of all items', (one) => sendUntilFirstByte(one, '/items'));
    await measure('star one', (one) => send(one, 'POST', `/items/${total}/star`), {
      prepare: (one) => send(one, 'POST', `/items/${total}/unstar`),
    });
    await measure(
      'mark 1,000 read',
      (one) => send(one, 'POST', '/items/read/multiple', { itemIds: some }),
      { prepare: (one) => send(one, 'POST', '/items/unread/multiple', { itemIds: some }) },
    );
    await measure(
      'mark all read',
      (one) => send(one, 'POST', '/items/read', { newestItemId: total }),
      {
        prepare: (one) =>
          inParallel(1, Math.ceil(total / 5000), (n) =>
            send(one, 'POST', '/items/unread/multiple', {
              itemIds: Array.from(
                { length: Math.min(5000, total - n * 5000) },
                (_, k) => n * 5000 + k + 1,
              ),
            }),
          ),
        count: Math.ceil(rounds / 3),
      },
    );
    report.add(
      'memory',
      'MiB',
      services.map((service) => service.memoryMib()),
    );

    /**
     * Measures the builds in turns, so that a busy machine hits both alike.
     *
     * @param what.repeat requests per round
     * @param what.prepare undoes the work, for one request per round
     */
    async function measure(
      name: string,
      work: (service: MeasuredService) => Promise<unknown>,
      what: {
        readonly repeat?: number;
        readonly prepare?: (service: MeasuredService) => Promise<unknown>;
        readonly count?: number;
      } = {},
    ): Promise<void> {
      const { repeat = 1, prepare = async () => {}, count = rounds } = what;
      const times = services.map((): number[] => []);
      const costs = services.map((): Cost[] => []);
      // The first two rounds warm up.
      for (let round = -2; round < count; round += 1) {
        for (const [n, service] of services.entries()) {
          await prepare(service);
          const cost = await alone(services, service, () =>
            costOf(server, service, async () => {
              for (let one = 0; one < repeat; one += 1) {
                const began = performance.now();
                await work(service);
                times[n]?.push(performance.now() - began);
              }
            }),
          );
          costs[n]?.push(cost);
        }
      }
      const measured = costs.map((ones) => ones.slice(2));
      report.add(
        name,
        'ms',
        times.map((ones) => median(ones.slice(2 * repeat))),
      );
      const perRequest = (figure: (cost: Cost) => number | undefined) =>
        measured.map((ones) => {
          const known = ones.map(figure).filter((value) => value !== undefined);
          return known.length === 0 ? undefined : median(known) / repeat;
        });
      // Medians, since the service also works by itself now and then.
      report.add(
        '  CPU',
        'ms',
        perRequest(({ serviceMs, databaseMs = 0 }) => serviceMs + databaseMs),
      );
      report.add(
        '  SQL statements',
        'number',
        perRequest(({ statements }) => statements),
      );
    }
  });
}
