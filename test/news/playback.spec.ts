import { beforeEach, describe, expect, it } from '@jest/globals';
import { MOST_POSITIONS } from '../../src/news/article/playback.service.js';
import { rss } from '../support/feed-server.js';
import { Random } from '../support/histories/random.js';
import { NewsClient, ok } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';
import type { TestUser } from '../support/start-app.js';

interface Position {
  readonly itemId: number;
  readonly position: number;
  readonly duration: number | null;
  readonly device: string;
  readonly listenedAt: number;
}

const { app, publisher } = await sharedService();
let user: TestUser;
let news: NewsClient;
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  const items = Array.from({ length: 5 }, (_, n) => ({ title: `Episode ${n + 1}`, guid: `${n}` }));
  publisher.publish('/pod.xml', rss({ title: 'Podcast', link: publisher.url('/'), items }));
  await news.subscribe(publisher.url('/pod.xml'));
});

const idOf = async (title: string) => (await news.item(title)).id;
const keep = (itemId: number, heard: object, client = news) =>
  client.call('PUT', `/playback/${itemId}`, { json: heard });
const list = async (client = news) =>
  (await ok<{ positions: Position[] }>(client.get('/playback'))).positions;

describe('Positions in recordings', () => {
  it('are kept per item, with the device, and listed latest first', async () => {
    const [one, two] = [await idOf('Episode 1'), await idOf('Episode 2')];
    expect(await list()).toEqual([]);
    await keep(one, { position: 754.4, duration: 3600, device: 'Firefox, Linux', secondsAgo: 60 });
    const { status, json } = await keep(two, { position: 12 });

    expect(status).toBe(200);
    expect(json).toEqual({
      position: {
        itemId: two,
        position: 12,
        duration: null,
        device: '',
        listenedAt: expect.any(Number),
      },
    });
    expect(await list()).toMatchObject([
      { itemId: two, position: 12 },
      { itemId: one, position: 754, duration: 3600, device: 'Firefox, Linux' },
    ]);
  });

  it('of two devices: the later one wins, whichever is reported last', async () => {
    const id = await idOf('Episode 1');
    await keep(id, { position: 100, duration: 900, device: 'phone' });
    const late = await keep(id, { position: 800, device: 'train', secondsAgo: 3600 });

    expect(late.json).toMatchObject({ position: { position: 100, device: 'phone' } });
    await keep(id, { position: 0, device: 'desk' });
    expect(await list()).toMatchObject([{ position: 0, duration: 900, device: 'desk' }]);
  });

  it.each([1, 2, 3])(
    'are those of a model after any history of reports (seed %i)',
    async (seed) => {
      const random = new Random(seed);
      const ids = [await idOf('Episode 1'), await idOf('Episode 2'), await idOf('Episode 3')];
      const model = new Map<number, { position: number; ago: number; device: string }>();
      for (let n = 0; n < 40; n += 1) {
        const id = random.pick(ids) ?? 0;
        // Far enough from one another that the time between requests does not matter.
        const ago = random.below(500) * 1000 + n;
        const heard = {
          position: random.below(5000),
          device: random.pick(['phone', 'desk']) ?? '',
        };
        const before = model.get(id);
        if (before === undefined || Math.floor(ago / 1000) <= Math.floor(before.ago / 1000)) {
          model.set(id, { ...heard, ago });
        }
        await keep(id, { ...heard, secondsAgo: Math.floor(ago / 1000) * 1000 });
      }

      const shown = (await list()).map(({ itemId, position, device }) => [
        itemId,
        position,
        device,
      ]);
      const expected = [...model].map(([id, { position, device }]) => [id, position, device]);
      expect(shown.toSorted()).toEqual(expected.toSorted());
    },
  );

  it('are limited in number; the oldest are dropped', async () => {
    const [one, two] = [await idOf('Episode 1'), await idOf('Episode 2')];
    await keep(one, { position: 5, secondsAgo: 1_000_000 });
    await app.database.query(
      `insert into playback_position
       select reader.id, 1000000 + n, n, null, '', now() - make_interval(secs => n)
         from reader, generate_series(1, ${MOST_POSITIONS - 1}) n where user_id = $1`,
      [user.credentials.userId],
    );
    await keep(two, { position: 7 });

    const [{ count } = { count: 0 }] = await app.database.query<{ count: number }>(
      'select count(*)::int as count from playback_position p join reader r on r.id = p.reader_id where user_id = $1',
      [user.credentials.userId],
    );
    expect(count).toBe(MOST_POSITIONS);
    // Those of items that are gone are not listed.
    expect(await list()).toMatchObject([{ itemId: two }]);
  });

  it('reported at the same time are kept', async () => {
    const ids = await Promise.all([1, 2, 3, 4, 5].map((n) => idOf(`Episode ${n}`)));
    const answers = await Promise.all(
      [...ids, ...ids].map((id, n) => keep(id, { position: 10, secondsAgo: n })),
    );

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await list()).toHaveLength(5);
  });

  it('of items that the user does not have are 404, those of others are not shown', async () => {
    const id = await idOf('Episode 1');
    const stranger = new NewsClient(await app.signIn(), 'v1-3');
    await keep(id, { position: 5 });

    expect((await keep(id, { position: 6 }, stranger)).status).toBe(404);
    expect((await keep(999_999, { position: 6 })).status).toBe(404);
    expect(await list(stranger)).toEqual([]);
    expect(await list()).toMatchObject([{ position: 5 }]);
  });

  it.each([{ position: -1 }, { position: 1e9 }, {}, { position: 1, device: 'x'.repeat(65) }])(
    'refuse %j',
    async (heard) => {
      expect((await keep(await idOf('Episode 1'), heard)).status).toBe(422);
    },
  );
});
