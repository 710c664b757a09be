import type { Laboratory } from '../laboratory.js';
import { inTurns } from '../measure.js';
import { inParallel, send } from '../requests.js';
import type { MeasuredService } from '../service.js';

const AT_ONCE = 16;

/**
 * Fetches that clients and updaters ask for: `POST /feeds` and `feeds/update`, 16 at once.
 *
 * @param options.feeds of 30 items each
 */
export async function measureFetchingRoutes(
  laboratory: Laboratory,
  options: { readonly feeds: number },
): Promise<void> {
  const { server, farm, report } = laboratory;
  await laboratory.withServices({}, async (services) => {
    report.begin('routes that fetch', `${options.feeds} feeds of 30 items, ${AT_ONCE} at once`);
    const passes = services.length;
    const part = Math.ceil(options.feeds / passes);
    const count = part * passes;
    const first = await inTurns(server, services, passes, (service, pass) =>
      inParallel(AT_ONCE, part, (n) =>
        send(service, 'POST', '/feeds', { url: farm.urlOf(pass * part + n), folderId: null }),
      ),
    );
    report.addCosts('first fetch (POST /feeds)', first, count, 'feed');

    const feedIds = new Map<MeasuredService, readonly { readonly id: number }[]>();
    for (const service of services) {
      feedIds.set(service, await service.query('select id from subscription order by id'));
    }
    const unchanged = await inTurns(server, services, passes, (service, pass) =>
      inParallel(AT_ONCE, part, (n) => {
        const feed = feedIds.get(service)?.[pass * part + n];
        return send(service, 'GET', `/feeds/update?userId=admin&feedId=${feed?.id}`);
      }),
    );
    report.addCosts('nothing changed (feeds/update)', unchanged, count, 'feed');
    report.add(
      'memory',
      'MiB',
      services.map((service) => service.memoryMib()),
    );
  });
}
