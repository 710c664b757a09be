import type { Laboratory } from '../laboratory.js';
import { inTurns, quantile } from '../measure.js';
import { addPeople, type Person } from '../people.js';
import { inParallel, json, send } from '../requests.js';
import { insertItems } from '../seed-items.js';
import { subscribeAll } from '../seed-readers.js';
import type { MeasuredService } from '../service.js';

const CONNECTIONS = 32;
const PASSES = 2;
const ONE_BY_ONE = 40;

/**
 * 32 connections at once, half of their requests synchronise and half set flags: of one account, and of 16
 * accounts. 32 connections represent the load of a server with many users.
 */
export async function measureConnections(
  laboratory: Laboratory,
  options: { readonly feeds: number; readonly itemsPerFeed: number; readonly requests: number },
): Promise<void> {
  const { server, report } = laboratory;
  const { feeds, itemsPerFeed, requests } = options;
  await laboratory.withServices({}, async (services) => {
    report.begin('connections', `${CONNECTIONS} at once, ${requests} requests, ${feeds} feeds`);
    const people = new Map<MeasuredService, Person[]>();
    for (const service of services) {
      await insertItems(service.query, 'admin', feeds, itemsPerFeed);
      people.set(service, await addPeople(service, 'reader', 16));
      await subscribeAll(service, 'reader', 16, 'true');
    }
    for (const [accounts, name] of [
      [1, 'one account'],
      [16, '16 accounts'],
    ] as const) {
      const latencies = new Map<MeasuredService, number[]>();
      const talk = async (service: MeasuredService, count: number) => {
        const some = people.get(service)?.slice(0, accounts) ?? [];
        latencies.set(service, await talkMixed(some, count));
      };
      // The first pass delivers, and fills caches.
      for (const service of services) {
        await talk(service, CONNECTIONS * 4);
        await service.query('vacuum analyze');
      }
      const costs = await inTurns(server, services, PASSES, (service) => talk(service, requests));
      report.addCosts(name, costs, requests * PASSES, 'request');
      report.add(
        '  throughput',
        'requests per s',
        costs.map(({ wallMs }) => (requests * PASSES * 1000) / wallMs),
      );
      report.add(
        '  p50',
        'ms',
        services.map((service) => quantile(latencies.get(service) ?? [], 0.5)),
      );
      report.add(
        '  p99',
        'ms',
        services.map((service) => quantile(latencies.get(service) ?? [], 0.99)),
      );
    }
    await measureRoutes();

    /** Requests of one user, one after the other. */
    async function measureRoutes() {
      const routes: readonly (readonly [string, (one: Person, n: number) => Promise<void>])[] = [
        ['items/updated, nothing changed', (one) => send(one, 'GET', updatedAddress())],
        ['feeds', (one) => send(one, 'GET', '/feeds')],
        ['items, a page of 200', (one) => send(one, 'GET', '/items?batchSize=200')],
        [
          'flag of one item',
          (one, n) =>
            send(one, 'POST', `/items/${n % 2 === 0 ? 'read' : 'unread'}/multiple`, {
              itemIds: [7],
            }),
        ],
      ];
      for (const [name, work] of routes) {
        const costs = await inTurns(server, services, PASSES, async (service) => {
          const [person] = people.get(service) ?? [];
          if (person !== undefined) {
            await inParallel(1, ONE_BY_ONE, (n) => work(person, n));
          }
        });
        report.addCosts(name, costs, ONE_BY_ONE * PASSES, 'request');
      }
    }
  });
}

/** @returns the milliseconds of each request */
async function talkMixed(people: readonly Person[], requests: number): Promise<number[]> {
  const latencies: number[] = [];
  const newest = await Promise.all(
    people.map(async (person) => {
      const { items } = await json<{ items: { id: number }[] }>(person, '/items?batchSize=1');
      return items[0]?.id ?? 1;
    }),
  );
  await inParallel(CONNECTIONS, requests, async (n, worker) => {
    const whose = worker % people.length;
    const person = people[whose];
    if (person === undefined) {
      return;
    }
    const began = performance.now();
    if (n % 2 === 0) {
      await send(person, 'GET', updatedAddress());
    } else {
      const itemIds = [1 + (n % (newest[whose] ?? 1))];
      await send(person, 'POST', `/items/${n % 4 === 1 ? 'read' : 'unread'}/multiple`, { itemIds });
    }
    latencies.push(performance.now() - began);
  });
  return latencies;
}

/** Address of the changes in the last second: few, as for a client that has just synchronised. */
function updatedAddress(): string {
  return `/items/updated?type=3&lastModified=${Math.floor(Date.now() / 1000) + 1}`;
}
