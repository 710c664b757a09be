import { expect, it } from '@jest/globals';
import { rss } from '../support/feed-server.js';
import { NewsClient, titles } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_LIMITS: 'new-articles-per-source-and-day=5',
});

it('Of too many new entries in a day, the newest are stored, the others a day later.', async () => {
  const user = await app.signIn();
  const news = new NewsClient(user, 'v1-3');
  const admin = new NewsClient(app.asAdmin(), 'v1-3');
  const publish = (...numbers: number[]) =>
    publisher.publish(
      '/flood.xml',
      rss({
        title: 'Flood',
        link: publisher.url('/'),
        items: numbers.map((n) => ({
          title: `e${n}`,
          guid: `e${n}`,
          pubDate: new Date(Date.UTC(2026, 0, n)).toUTCString(),
        })),
      }),
      { etag: `"${numbers.join()}"` },
    );
  const stored = async () => titles(await news.items({ type: 3, getRead: true })).toSorted();
  const revision = () =>
    app.database.query(
      'select rev from source where id = (select source_id from follower where subscription_id = $1)',
      [feed.id],
    );

  publish(3, 2, 1);
  const feed = await news.subscribe(publisher.url('/flood.xml'));
  const update = () => admin.update(user.credentials.userId, feed.id);
  // The oldest first, as some publishers list them.
  publish(4, 5, 6, 7);
  await update();
  expect(await stored()).toEqual(['e1', 'e2', 'e3', 'e6', 'e7']);

  // The same document again, on the same day.
  const before = await revision();
  await update();
  expect(await stored()).toEqual(['e1', 'e2', 'e3', 'e6', 'e7']);
  expect(await revision()).toEqual(before);
  const [attempt] = await app.database.query<{ message: string }>(
    'select message from fetch_attempt order by id desc limit 1',
  );
  expect(attempt?.message).toMatch(/^2 new entries were postponed/);

  await app.database.query("update source set day_began_at = day_began_at - interval '1 day'");
  await update();
  expect(await stored()).toEqual(['e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7']);
});

it('Postponed entries are distinguished from stored ones that share their link or have none.', async () => {
  const user = await app.signIn();
  const news = new NewsClient(user, 'v1-3');
  const items = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({
    title: `e${n}`,
    body: `body of e${n}`,
    pubDate: new Date(Date.UTC(2026, 0, n)),
    ...(n % 2 === 0 ? { link: 'https://publisher.example/shared' } : {}),
  }));
  const publish = (...listed: (typeof items)[number][]) =>
    publisher.publish('/shared.xml', rss({ title: 'Shared', items: listed }));
  const stored = async () => titles(await news.items({ type: 3, getRead: true })).toSorted();
  publish(...items.toReversed());
  const feed = await news.subscribe(publisher.url('/shared.xml'));
  const update = () =>
    new NewsClient(app.asAdmin(), 'v1-3').update(user.credentials.userId, feed.id);
  expect(await stored()).toEqual(['e4', 'e5', 'e6', 'e7', 'e8']);
  const before = await news.items();

  // Meanwhile two stored entries and a postponed one are edited.
  publish(...items.map((item) => (/[378]/.test(item.title) ? { ...item, body: 'edited' } : item)));
  await update();
  expect(await stored()).toEqual(['e4', 'e5', 'e6', 'e7', 'e8']);
  await app.database.query("update source set day_began_at = day_began_at - interval '1 day'");
  await update();
  await update();

  expect(await stored()).toEqual(['e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7', 'e8']);
  const named = before.map(({ id, guid, title }) => expect.objectContaining({ id, guid, title }));
  expect(await news.items()).toEqual(expect.arrayContaining(named));
});
