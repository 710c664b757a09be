import { setTimeout as pause } from 'node:timers/promises';
import type { Laboratory } from '../laboratory.js';
import { inTurns } from '../measure.js';
import { addPeople, type Person } from '../people.js';
import { inParallel, send } from '../requests.js';
import { insertSources, subscribeAll } from '../seed-readers.js';
import type { MeasuredService } from '../service.js';

const SOURCES = 1000;
/** Each account follows a tenth of the sources. */
const SHARE = 10;
const AT_ONCE = 4;

/**
 * Clients that ask for news now and then: each account once, a while after its last use, when there is nothing new.
 * Asked again at once, the same polls show what a loop of one account would.
 *
 * @param options.idleSeconds more than the minute after which last uses are written
 */
export async function measurePolls(
  laboratory: Laboratory,
  options: { readonly accounts: number; readonly idleSeconds: number },
): Promise<void> {
  const { server, report } = laboratory;
  const { accounts, idleSeconds } = options;
  await laboratory.withServices({}, async (services) => {
    report.begin('polls', `${accounts} accounts of ${SOURCES / SHARE} feeds`);
    const people = new Map<MeasuredService, readonly Person[]>();
    for (const service of services) {
      await insertSources(service, 'polled', SOURCES, 1);
      people.set(service, await addPeople(service, 'poller', accounts));
      await subscribeAll(service, 'poller', accounts, `(source.id + n) % ${SHARE} = 0`);
    }
    const newest = Math.floor(Date.now() / 1000) + 3600;
    const poll = async (service: MeasuredService) => {
      const all = people.get(service) ?? [];
      await inParallel(AT_ONCE, all.length, async (n) => {
        const person = all[n];
        await (person && send(person, 'GET', `/items/updated?lastModified=${newest}&type=3`));
      });
    };
    // Delivers, and is the first use of each account, which is written at once.
    await inTurns(server, services, 1, poll);
    for (const service of services) {
      await service.query('vacuum analyze');
    }
    await pause(idleSeconds * 1000);
    const later = await inTurns(server, services, 1, poll);
    report.addCosts(`one ${idleSeconds} s after the last use`, later, accounts, 'poll');
    const again = await inTurns(server, services, 1, poll);
    report.addCosts('one at once again', again, accounts, 'poll');
  });
}
