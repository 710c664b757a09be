import { describe, expect, it } from '@jest/globals';
import {
  ByChanges,
  ByIds,
  BySince,
  GoogleDevice,
  wireOf,
  type Device,
  type Flag,
  type Told,
} from '../../support/devices.js';
import {
  followSources,
  publishArticles,
  type FollowedSource,
} from '../../support/followed-sources.js';
import { Random } from '../../support/histories/random.js';
import { histories } from '../../support/long.js';
import { NewsClient } from '../../support/news-client.js';
import { sharedService } from '../../support/shared-service.js';

/*
 * Clients of both APIs synchronise one account at the same time, while articles are published, some
 * with old dates, and while all of them mark items. In the end each synchronises once more: all have
 * the same, and of each flag the value of a request that was answered with success and that no
 * later one took back. More with GENERATED_HISTORIES=n.
 */

const HISTORIES = Math.ceil(histories(100, 600) / 100);
const ROUNDS = 10;
const FEEDS = 3;

const { app } = await sharedService();

describe('clients of both APIs on one account', () => {
  it.each(Array.from({ length: HISTORIES }, (_none, seed) => seed))(
    'have the same in the end, nothing lost, nothing twice, every acknowledged flag: history %i',
    async (seed) => {
      const user = await app.signIn();
      const userId = user.credentials.userId;
      const feeds = await followSources(app, userId, FEEDS);
      const told: Told[] = [];
      const since = (['date', 'crawlTimeMsec', 'timestampUsec'] as const)[seed % 3] ?? 'date';
      const wire = await wireOf(user);
      const random = (n: number) => new Random(seed * 10 + n);
      const googles = [
        new ByIds(wire, random(1), told),
        new BySince(since, wire, random(2), told),
        new BySince('timestampUsec', wire, random(3), told),
      ];
      const newsClient = new ByChanges(new NewsClient(user, 'v1-3'), random(4), told);
      const devices: Device[] = [...googles, newsClient];
      const arrivals = new Map<number, number>();
      const arrivalOf = (item: number) => arrivals.get(item) ?? Number.POSITIVE_INFINITY;

      let published = 0;
      await Promise.all(
        devices.map(async (device, n) => {
          const chances = random(200 + n);
          for (let round = 0; round < ROUNDS; round += 1) {
            const publishing = publish(feeds, chances, `${n}-${round}`);
            await device.sync();
            const count = await publishing;
            published += count;
            await device.mark();
            if (device instanceof GoogleDevice && chances.chance(0.15)) {
              await device.markAll(arrivalOf);
            }
          }
        }),
      );
      // What the last of them delivers, the others must not miss.
      for (const device of [...devices, ...devices]) {
        await device.sync();
      }

      expect(devices.flatMap(({ mistakes }) => mistakes)).toEqual([]);
      const final = [...newsClient.items].toSorted(([a], [b]) => a - b);
      expect(final).toHaveLength(published);
      for (const device of googles) {
        expect([...device.items].toSorted(([a], [b]) => a - b)).toEqual(final);
      }
      for (const [item, arrived] of await arrivalsOf(userId)) {
        arrivals.set(item, arrived);
      }
      for (const [item, flags] of final) {
        expect(possible(told, item, 'read')).toContain(flags.read);
        expect(possible(told, item, 'starred')).toContain(flags.starred);
      }
    },
  );
});

/** Values of the changes that no later one followed, of those that ran at the same time any. */
function possible(told: readonly Told[], item: number, flag: Flag): boolean[] {
  const changes = told.filter((each) => each.flag === flag && each.touches(item));
  const last = Math.max(...changes.map(({ startedAt }) => startedAt));
  return changes.length === 0
    ? [false]
    : changes.filter(({ answeredAt }) => answeredAt >= last).map(({ value }) => value);
}

/** New articles of one feed, with any date. @returns how many */
async function publish(
  feeds: readonly FollowedSource[],
  random: Random,
  name: string,
): Promise<number> {
  const count = 1 + random.below(3);
  await publishArticles(
    app,
    random.pick(feeds)?.sourceId ?? 0,
    Array.from({ length: count }, (_, n) => ({
      guid: `${name}-${n}`,
      pubDateSeconds: random.below(2_000_000_000),
    })),
  );
  return count;
}

async function arrivalsOf(userId: string): Promise<Map<number, number>> {
  const rows = await app.database.query<{ id: number; arrived: number }>(
    `select item.id, item.arrived_micros as arrived from item
       join reader on reader.id = item.reader_id where reader.user_id = $1`,
    [userId],
  );
  return new Map(rows.map(({ id, arrived }) => [id, Number(arrived)]));
}
