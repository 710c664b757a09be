import { performance } from 'node:perf_hooks';
import type { Laboratory } from '../laboratory.js';
import { alone, median } from '../measure.js';
import { addPeople, type Person } from '../people.js';
import { send, type Caller } from '../requests.js';
import { insertSources, subscribeAll } from '../seed-readers.js';
import { NEWS_API, type MeasuredService } from '../service.js';

const FEEDS = 200;
/** Number of ids per request for contents. */
const NAMED = 250;
const FIRST_GOOGLE_ID = 1_000_000_000_000_000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/**
 * Requests of Google Reader API clients, each beside the equivalent News API request. Skips builds without
 * that API.
 *
 * @param options.unread number of items, all unread, in 200 feeds
 */
export async function measureGoogleReader(
  laboratory: Laboratory,
  options: { readonly unread: number; readonly rounds: number },
): Promise<void> {
  const { report } = laboratory;
  const { unread, rounds } = options;
  await laboratory.withServices({}, async (services) => {
    report.begin('google reader', `${unread} unread items in ${FEEDS} feeds, medians`);
    const readers = new Map<MeasuredService, { news: Person; google: Caller }>();
    for (const service of services) {
      const [news] = await addPeople(service, 'greader', 1);
      if (news === undefined) {
        continue;
      }
      const google: Caller = {
        agent: service.agent,
        api: `${service.api.slice(0, -NEWS_API.length)}/reader/api/0`,
        credentials: { authorization: `GoogleLogin auth=${news.token}` },
      };
      try {
        await send(google, 'GET', '/user-info');
      } catch {
        continue;
      }
      await insertSources(service, 'greader', FEEDS, Math.ceil(unread / FEEDS));
      await subscribeAll(service, 'greader', 1, `source.url like 'https://greader%'`);
      await send(news, 'GET', '/feeds');
      await service.query('vacuum analyze');
      readers.set(service, { news, google });
    }
    report.add('memory, after the delivery', 'MiB', memory());
    const unreadIds = '/stream/items/ids?s=user/-/state/com.google/reading-list&n=200000';
    const named = Array.from({ length: NAMED }, (_, n) => `i=${FIRST_GOOGLE_ID + unread - n}`);
    await compare(
      ['GET /feeds', ({ news }) => send(news, 'GET', '/feeds')],
      ['unread-count', ({ google }) => send(google, 'GET', '/unread-count')],
    );
    await compare(
      [`GET /items, ${NAMED} newest`, ({ news }) => send(news, 'GET', `/items?batchSize=${NAMED}`)],
      [
        `contents of ${NAMED} ids`,
        ({ google }) => send(google, 'POST', '/stream/items/contents', named.join('&'), FORM),
      ],
    );
    await compare(
      ['GET /items, 1,000 newest', ({ news }) => send(news, 'GET', '/items?batchSize=1000')],
      [
        'contents of the 1,000 newest',
        ({ google }) => send(google, 'GET', '/stream/contents/reading-list?n=1000'),
      ],
    );
    await compare(
      ['GET /items, all unread', ({ news }) => send(news, 'GET', '/items?getRead=false')],
      [
        'ids of all unread',
        ({ google }) => send(google, 'GET', `${unreadIds}&xt=user/-/state/com.google/read`),
      ],
    );
    await compare(
      ['GET /items/updated, nothing', ({ news }) => send(news, 'GET', NOTHING_UPDATED)],
      [
        'ids of what arrived since, none',
        ({ google }) => send(google, 'GET', `${unreadIds}&${SINCE}`),
      ],
    );
    report.add('memory, at the end', 'MiB', memory());

    function memory(): (number | undefined)[] {
      return services.map((service) => (readers.has(service) ? service.memoryMib() : undefined));
    }

    /** Adds the times of two requests, made in turns, and their ratio. */
    async function compare(...[ours, theirs]: readonly [Request, Request]): Promise<void> {
      const times = [ours, theirs].map(() => services.map((): number[] => []));
      // The first round warms up.
      for (let round = -1; round < rounds; round += 1) {
        for (const [n, service] of services.entries()) {
          const reader = readers.get(service);
          for (const [place, [, ask]] of [ours, theirs].entries()) {
            if (reader !== undefined) {
              const began = performance.now();
              await alone(services, service, () => ask(reader));
              if (round >= 0) {
                times[place]?.[n]?.push(performance.now() - began);
              }
            }
          }
        }
      }
      const [news = [], google = []] = times.map((ofServices) =>
        ofServices.map((ones) => (ones.length === 0 ? undefined : median(ones))),
      );
      report.add(ours[0], 'ms', news);
      report.add(theirs[0], 'ms', google);
      report.add(
        '  of the former',
        'times',
        google.map((ms, n) => (ms === undefined ? undefined : ms / (news[n] ?? ms))),
      );
    }
  });
}

type Request = readonly [
  name: string,
  ask: (reader: { readonly news: Person; readonly google: Caller }) => Promise<void>,
];

const NOTHING_UPDATED = '/items/updated?lastModified=4000000000&type=3';
const SINCE = 'ot=4000000000';
