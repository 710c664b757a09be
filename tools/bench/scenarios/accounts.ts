import type { Laboratory } from '../laboratory.js';
import { inTurns, median } from '../measure.js';
import { addPeople, type Person } from '../people.js';
import { send } from '../requests.js';
import { insertSources, subscribeAll } from '../seed-readers.js';
import type { MeasuredService } from '../service.js';

const FEEDS = 200;
const SHARED_ITEMS = 30;
const ROUNDS = 3;
const REPEAT = 15;

/**
 * The list of feeds of accounts with ever more unread items, and the cost of one more account of the same
 * 200 feeds.
 *
 * @param options.unread numbers of unread items, in 200 feeds
 * @param options.accounts how many are added, of 200 feeds of 30 items
 */
export async function measureAccounts(
  laboratory: Laboratory,
  options: { readonly unread: readonly number[]; readonly accounts: number },
): Promise<void> {
  const { server, report } = laboratory;
  await laboratory.withServices({}, async (services) => {
    report.begin('accounts', `${FEEDS} feeds each`);
    for (const unread of options.unread) {
      const name = `unread${unread}x`;
      const people = new Map<MeasuredService, Person>();
      for (const service of services) {
        const [person] = await addPeople(service, name, 1);
        await insertSources(service, name, FEEDS, Math.ceil(unread / FEEDS));
        await subscribeAll(service, name, 1, `source.url like 'https://${name}%'`);
        if (person !== undefined) {
          people.set(service, person);
          await send(person, 'GET', '/feeds');
        }
        await service.query('vacuum analyze');
      }
      const times = new Map(services.map((service) => [service, [] as number[]]));
      const ask = async (service: MeasuredService) => {
        const person = people.get(service);
        if (person === undefined) {
          return;
        }
        for (let n = 0; n < REPEAT; n += 1) {
          const began = performance.now();
          await send(person, 'GET', '/feeds');
          times.get(service)?.push(performance.now() - began);
        }
      };
      // The first pass warms up.
      await inTurns(server, services, 1, ask);
      times.forEach((ones) => ones.splice(0));
      const costs = await inTurns(server, services, ROUNDS, ask);
      report.add(
        `GET /feeds, ${unread} unread`,
        'ms',
        services.map((service) => median(times.get(service) ?? [])),
      );
      report.add(
        '  CPU',
        'ms',
        costs.map(({ serviceMs, databaseMs = 0 }) => (serviceMs + databaseMs) / (ROUNDS * REPEAT)),
      );
      report.add(
        '  SQL statements',
        'per request',
        costs.map(({ statements }) => statements && statements / (ROUNDS * REPEAT)),
      );
    }
    await measureFurtherAccounts();

    async function measureFurtherAccounts() {
      const people = new Map<MeasuredService, Person[]>();
      const before: number[] = [];
      for (const service of services) {
        await insertSources(service, 'shared', FEEDS, SHARED_ITEMS);
        people.set(service, await addPeople(service, 'further', options.accounts));
        await subscribeAll(
          service,
          'further',
          options.accounts,
          `source.url like 'https://shared%'`,
        );
        await service.query('vacuum');
        before.push(await service.databaseMib());
      }
      const costs = await inTurns(server, services, 1, async (service) => {
        for (const person of people.get(service) ?? []) {
          await send(person, 'GET', '/feeds');
        }
      });
      report.addCosts(
        `first synchronisation of ${FEEDS * SHARED_ITEMS} shared items`,
        costs,
        options.accounts,
        'account',
      );
      const sizes: number[] = [];
      for (const [n, service] of services.entries()) {
        await service.query('vacuum');
        sizes.push(((await service.databaseMib()) - (before[n] ?? 0)) / options.accounts);
      }
      report.add('each further account', 'MiB', sizes);
    }
  });
}
