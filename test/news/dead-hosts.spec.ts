import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ArticlesRepository } from '../../src/news/sources/articles/articles.repository.js';
import { NetworkOutageDetector } from '../../src/news/sources/refreshing/network-outage-detector.service.js';
import { SourceRefresher } from '../../src/news/sources/refreshing/source-refresher.service.js';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { addDueSources } from '../support/due-sources.js';
import { rss, startFeedServer, type FeedServer } from '../support/feed-server.js';
import { startApp, type TestApp } from '../support/start-app.js';

const FETCHES = 8;

let app: TestApp;
let publisher: FeedServer;
let hosts = 0;
beforeAll(async () => {
  [app, publisher] = await Promise.all([
    startApp({ GATEFOLD_FETCHES: String(FETCHES) }),
    startFeedServer({ address: '0.0.0.0' }),
  ]);
});
afterAll(() => Promise.all([app.stop(), publisher.close()]));
beforeEach(() =>
  app.database.query("update source_schedule set due_at = now() + interval '1 day'"),
);

/** Addresses of hosts of their own, with the same path. */
const addresses = (count: number, path: string, { port } = publisher) =>
  Array.from({ length: count }, () => {
    hosts += 1;
    return `http://127.9.${hosts >> 8}.${hosts & 255}:${port}${path}`;
  });

const publish = (path: string, at = publisher) =>
  at.publish(path, rss({ title: path, items: [{ title: 'item' }] }));

const follow = async (urls: readonly string[]): Promise<number[]> =>
  addDueSources(app, (await app.signIn()).credentials.userId, urls);

const refresh = async (ids: readonly number[]) => {
  for (const id of ids) {
    await app.inside(SourceRefresher).refreshNow(id);
  }
};

const makeDue = (ids: readonly number[]) =>
  app.database.query('update source_schedule set due_at = now() where source_id = any($1)', [ids]);

const states = (ids: readonly number[]) =>
  app.database.query<{ errors: number; message: string | null; inSeconds: number }>(
    `select error_count as errors, last_error as message,
            extract(epoch from due_at - now())::int as "inSeconds"
       from source join source_schedule on source_id = source.id where source.id = any($1)`,
    [ids],
  );

// First: nobody else's feeds have answered.
describe('a network that is down', () => {
  it('is not counted as feed errors, feeds are retried shortly, and its end is noticed', async () => {
    const far = await startFeedServer({ address: '0.0.0.0' });
    const { port } = far;
    publish('/far.xml', far);
    const healthy = await follow(addresses(10, '/far.xml', far));
    await refresh(healthy);
    const dead = await follow([...addresses(1, '/', { ...far, port: 9 })]);
    await far.close();

    await refresh([...healthy, ...dead]);

    const detector = app.inside(NetworkOutageDetector);
    expect(detector.isOutage).toBe(true);
    for (const { inSeconds, ...state } of await states(healthy)) {
      expect(state).toEqual({ errors: 0, message: null });
      expect(inSeconds).toBeLessThanOrEqual(60);
    }
    // It did not answer before, so this says nothing about it.
    expect((await states(dead))[0]).toMatchObject({ errors: 1 });

    const back = await startFeedServer({ address: '0.0.0.0', port });
    publish('/far.xml', back);
    await refresh(healthy.slice(0, 2));
    await back.close();
    expect(detector.isOutage).toBe(false);

    await refresh(healthy.slice(0, 1));
    expect((await states(healthy)).filter(({ errors }) => errors > 0)).toHaveLength(1);
    // It has none, which must not become a negative number.
    await app.inside(ArticlesRepository).forgiveFailures(healthy.slice(1, 2));
    expect((await states(healthy.slice(1, 2)))[0]).toMatchObject({ errors: 0 });
  });

  it('is not decided by one user, as long as the feeds of others answer', async () => {
    const gone = await startFeedServer({ address: '0.0.0.0' });
    publish('/gone.xml', gone);
    publish('/good.xml');
    const vanishing = await follow(addresses(12, '/gone.xml', gone));
    const good = await follow(addresses(2, '/good.xml'));
    await refresh([...vanishing, ...good]);
    await gone.close();

    await refresh(vanishing);

    expect(app.inside(NetworkOutageDetector).isOutage).toBe(false);
    expect((await states(vanishing)).map(({ errors }) => errors)).toEqual(vanishing.map(() => 1));
    expect(publisher.requests('/good.xml')).toHaveLength(2);
  });
});

describe('hosts of one user that hang', () => {
  it('leave places for the feeds of others, known ones and new ones', async () => {
    const release = publisher.hang('/hanging.xml');
    publish('/known.xml');
    publish('/new.xml');
    const known = await follow(addresses(1, '/known.xml'));
    await refresh(known);
    await follow(addresses(300, '/hanging.xml'));
    await makeDue(known);
    await follow(addresses(1, '/new.xml'));

    const cycle = app.inside(UpdateCycle).fetchDue();
    await Promise.all([publisher.whenAsked('/known.xml', 2), publisher.whenAsked('/new.xml')]);

    expect(publisher.requests('/hanging.xml').length).toBeLessThanOrEqual(FETCHES / 4);
    await app.database.query(
      "update source_schedule set due_at = now() + interval '1 day' where lease_token is null",
    );
    release();
    await cycle;
  });
});

describe('hosts that never answered', () => {
  it('are shown as failing and asked less and less, however many they are', async () => {
    const closed = await startFeedServer({ address: '0.0.0.0' });
    await closed.close();
    const dead = await follow(addresses(20, '/', closed));

    await refresh(dead);

    expect(app.inside(NetworkOutageDetector).isOutage).toBe(false);
    for (const { errors, inSeconds } of await states(dead)) {
      expect(errors).toBe(1);
      expect(inSeconds).toBeGreaterThan(500);
    }
    await refresh(dead.slice(0, 1));
    const [again] = await states(dead.slice(0, 1));
    expect(again?.errors).toBe(2);
    expect(again?.inSeconds).toBeGreaterThan(1000);
  });
});
