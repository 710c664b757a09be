import { setTimeout as pause } from 'node:timers/promises';
import type { Laboratory } from '../laboratory.js';
import { costOf, inTurns, sumOf, type Cost } from '../measure.js';
import { json, send, timesOf } from '../requests.js';
import { opmlOf, runRound, untilFetched, type FeedFetcher } from '../rounds.js';
import type { MeasuredService } from '../service.js';

const LATENCY_MS = 100;
/** Exceeds the longest interval of the schedule. */
const BACKGROUND_SECONDS = 22;
const QUIET_MS_PER_S = 40;

/**
 * The built-in schedule: the first fetches after an import, rounds in which nothing or a tenth has changed,
 * and the following synchronisation of the user's programs.
 *
 * @param options.feeds of 30 items each
 * @param options.rounds how often rounds are repeated; the figures are means
 * @param options.settleSeconds until memory is measured again after all rounds
 * @param options.isShort leaves out the work in the background after the first fetches
 */
export async function measureSchedule(
  laboratory: Laboratory,
  options: {
    readonly feeds: number;
    readonly rounds: number;
    readonly settleSeconds: number;
    readonly isShort?: boolean;
  },
): Promise<void> {
  const { server, farm, report } = laboratory;
  const { feeds, rounds } = options;
  await laboratory.withServices({ GATEFOLD_SCHEDULER: 'on' }, async (services) => {
    report.begin('schedule', `${feeds} feeds of 30 items, ${server.version}`);
    await Promise.all(services.map((service) => send(service, 'GET', '/feeds')));
    report.add(
      'memory, idle',
      'MiB',
      services.map((service) => service.memoryMib()),
    );

    // With two builds, the order of the builds alternates between the halves of the feeds.
    const part = Math.ceil(feeds / services.length);
    const imports = await inTurns(server, services, services.length, async (service, pass) => {
      const began = Date.now();
      await farm.watch();
      const some = Array.from({ length: part }, (_, n) => farm.urlOf(pass * part + n));
      await send(service, 'POST', '/opml/import', opmlOf(some), { 'content-type': 'text/x-opml' });
      await untilFetched(farm, fetcherOf(service), part);
      return Date.now() - began;
    });
    report.addCosts('OPML import and first fetches', imports, part * services.length, 'feed');
    await addMemory('memory, after first fetches');
    if (options.isShort !== true) {
      const later = await inTurns(server, services, 1, (service) =>
        untilQuiet(laboratory, service),
      );
      report.addCosts('work in the background afterwards', later, feeds, 'feed');
    }

    const firstSync = await inTurns(server, services, 1, (service) =>
      send(service, 'GET', '/feeds'),
    );
    report.addCosts('delivery of all items', firstSync, 1, 'account');
    await addSizes(laboratory, services);

    await roundsOf('round, nothing changed', async () => {});
    await farm.setLatency(LATENCY_MS);
    await roundsOf(`round, nothing changed, ${LATENCY_MS} ms latency`, async () => {});
    await farm.setLatency(0);
    await measurePublishing(laboratory, services, options);
    await addMemory('memory, after rounds');
    await pause(options.settleSeconds * 1000);
    await addMemory(`memory, ${options.settleSeconds} s later`);
    await measureAllUnread(laboratory, services);

    async function roundsOf(name: string, prepare: () => Promise<unknown>) {
      const firstRequests = new Map(services.map((service) => [service, 0]));
      const costs = await inTurns(server, services, rounds, async (service) => {
        await prepare();
        const { delayMs, wallMs } = await runRound(farm, fetcherOf(service), feeds);
        firstRequests.set(service, (firstRequests.get(service) ?? 0) + delayMs / rounds);
        return wallMs;
      });
      report.addCosts(name, costs, feeds, 'feed', rounds);
      report.add(
        '  until the first request',
        's',
        [...firstRequests.values()].map((ms) => ms / 1000),
      );
    }

    async function addMemory(name: string) {
      report.add(
        name,
        'MiB',
        services.map((service) => service.memoryMib()),
      );
    }
  });
}

/** A tenth of the feeds publishes three items each, once per round; each build fetches them. */
async function measurePublishing(
  { server, farm, report }: Laboratory,
  services: readonly MeasuredService[],
  { feeds, rounds }: { readonly feeds: number; readonly rounds: number },
): Promise<void> {
  const fetches: Cost[][] = [];
  const synchronisations: Cost[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const tenth = Array.from({ length: feeds }, (_, n) => n).filter((n) => n % 10 === round % 10);
    await farm.publish(tenth);
    fetches.push(
      await inTurns(
        server,
        services,
        1,
        async (service) => (await runRound(farm, fetcherOf(service), feeds)).wallMs,
      ),
    );
    synchronisations.push(
      await inTurns(server, services, 1, (service) =>
        send(
          service,
          'GET',
          `/items/updated?type=3&lastModified=${Math.floor(Date.now() / 1000) + 60}`,
        ),
      ),
    );
  }
  const perService = (costs: readonly Cost[][]) =>
    services.map((_, n) => sumOf(costs.flatMap((one) => one[n] ?? [])));
  report.addCosts('round, a tenth publishes 3 items', perService(fetches), feeds, 'feed', rounds);
  report.addCosts('delivery of its items', perService(synchronisations), 1, 'account', rounds);
}

/** Everything in one answer, plain and compressed. */
async function measureAllUnread(
  { server, report }: Laboratory,
  services: readonly MeasuredService[],
): Promise<void> {
  const count = await Promise.all(
    services.map(async (service) => {
      const { feeds } = await json<{ feeds: { unreadCount: number }[] }>(service, '/feeds');
      return feeds.reduce((sum, feed) => sum + feed.unreadCount, 0);
    }),
  );
  report.add('unread items', 'number', count);
  for (const coding of ['identity', 'gzip']) {
    const name = coding === 'gzip' ? 'all unread, compressed' : 'all unread';
    const headers = { 'accept-encoding': coding };
    const answers = new Map<MeasuredService, Awaited<ReturnType<typeof timesOf>>>();
    const read = async (service: MeasuredService) => {
      const answer = await timesOf(service, '/items?batchSize=-1&getRead=false', headers);
      answers.set(service, answer);
      return answer.endMs;
    };
    // The first one warms up.
    await inTurns(server, services, 1, read);
    const costs = await inTurns(server, services, 2, read);
    report.addCosts(name, costs, 1, 'answer', 2);
    const measured = services.map((service) => answers.get(service));
    report.add(
      '  first byte',
      'ms',
      measured.map((answer) => answer?.firstByteMs),
    );
    report.add(
      '  size',
      'MiB',
      measured.map((answer) => (answer?.bytes ?? 0) / 1024 ** 2),
    );
  }
}

async function addSizes(
  { report }: Laboratory,
  services: readonly MeasuredService[],
): Promise<void> {
  const sizes = [];
  const perTable = [];
  for (const service of services) {
    await service.query('vacuum');
    sizes.push(await service.databaseMib());
    perTable.push(
      await service.query<{ name: string; mib: number }>(
        `select relname as name, pg_total_relation_size(oid) / 1048576.0::float8 as mib from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace order by 2 desc limit 4`,
      ),
    );
  }
  report.add('database', 'MiB', sizes);
  for (const { name } of perTable[0] ?? []) {
    report.add(
      `  ${name}`,
      'MiB',
      perTable.map((tables) => tables.find((table) => table.name === name)?.mib),
    );
  }
}

export function fetcherOf(service: MeasuredService): FeedFetcher {
  return {
    name: service.name,
    makeAllDue: async () => void (await service.query('update source_schedule set due_at = now()')),
    async isFetching() {
      const [state] = await service.query<{ busy: boolean }>(
        `select exists (select from source_schedule where due_at <= now() or lease_token is not null)
                as busy`,
      );
      return state?.busy === true;
    },
  };
}

/** Waits for the end of work in the background, such as the search index, which begins every 20 s. */
async function untilQuiet({ server }: Laboratory, service: MeasuredService): Promise<void> {
  for (;;) {
    const { serviceMs, databaseMs = 0 } = await costOf(server, service, () =>
      pause(BACKGROUND_SECONDS * 1000),
    );
    if (serviceMs + databaseMs < QUIET_MS_PER_S * BACKGROUND_SECONDS) {
      return;
    }
  }
}
