import { beforeAll, describe, expect, it } from '@jest/globals';
import { ReaderIdsRepository } from '../../src/news/reader/delivery/reader-ids.repository.js';
import { QueriedArticlesRepository } from '../../src/news/reader/items/queried-articles.repository.js';
import { UserPlacesRepository } from '../../src/news/reader/items/user-places.repository.js';
import { rss } from '../support/feed-server.js';
import { NewsClient, ok, type FeedJson } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';

const { app, publisher } = await sharedService();
const articles = app.inside(QueriedArticlesRepository);

let news: NewsClient;
let readerId: number;
let feed: FeedJson;
let folderId: number;
let ids: number[];
beforeAll(async () => {
  const user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  publisher.publish(
    '/queried.xml',
    rss({
      title: 'Pixel Weekly',
      link: publisher.url('/'),
      items: [
        {
          title: 'First',
          guid: '1',
          body: '<p>Tom &amp; <b>Jer</b>ry</p>',
          author: 'Ada',
          xml: '<category>PC</category>',
        },
        { title: 'Second', guid: '2', body: 'Other words' },
      ],
    }),
  );
  folderId = (await ok<{ folders: { id: number }[] }>(news.post('/folders', { name: 'Games' })))
    .folders[0]?.id as number;
  feed = await news.subscribe(publisher.url('/queried.xml'), folderId);
  readerId = (await app.inside(ReaderIdsRepository).of(user.credentials.userId)).id;
  ids = (await news.items()).map(({ id }) => id).sort((a, b) => a - b);
});

/** Longer than a piece of `Turns`. */
const LONG_MS = 15;

const idOf = async (title: string) => (await news.item(title)).id;

describe('an article that a query asks about', () => {
  it('has its words, states and places as its user sees them', async () => {
    await ok(news.post(`/items/${await idOf('First')}/star`));
    const answers = await articles.ask(readerId, ids, (article) => ({
      ...article,
      text: article.text(),
    }));

    expect(answers.size).toBe(2);
    expect([...answers.values()]).toContainEqual(
      expect.objectContaining({
        title: 'First',
        text: 'Tom & Jerry',
        author: 'Ada',
        categories: ['PC'],
        feedId: feed.id,
        folderId,
        labelIds: [],
        states: expect.objectContaining({ unread: true, starred: true, labelled: false }),
      }),
    );
  });

  it.each(['title', 'text'] as const)(
    'is the last one if there is no more time after its %s',
    async (part) => {
      let asked = 0;
      const answers = await articles.ask(
        readerId,
        ids,
        ({ title, text }) => {
          const words = part === 'text' ? text() : title;
          asked += 1;
          return words;
        },
        undefined,
        () => asked > 0,
      );

      expect([asked, answers.size]).toEqual([1, 1]);
    },
  );

  it('has a text that is read for those alone of which it is asked', async () => {
    let asked = 0;
    const answers = await articles.ask(readerId, ids, ({ title, text }) => {
      asked += 1;
      return title === 'Second' && text() === 'Other words';
    });

    expect([...answers.values()].filter(Boolean)).toHaveLength(1);
    expect(asked).toBe(3);
  });

  it.each([
    ['its states', () => ''],
    ['its text', (text: () => string) => text()],
  ])('lets others have their turn while very many are asked about %s', async (_what, read) => {
    let hadTurn = false;
    const asked: boolean[] = [];
    await articles.ask(readerId, ids, ({ text }) => {
      read(text);
      asked.push(hadTurn);
      setImmediate(() => (hadTurn = true));
      const until = performance.now() + LONG_MS;
      while (performance.now() < until) {
        // Keeps the thread.
      }
    });

    expect(asked).toEqual([false, true]);
  });

  it('is not there for others, nor for unknown ids', async () => {
    const stranger = await app.signIn();
    const other = new NewsClient(stranger, 'v1-3');
    await other.subscribe(publisher.url('/queried.xml'));
    const { id } = await app.inside(ReaderIdsRepository).of(stranger.credentials.userId);

    expect((await articles.ask(id, [999_999], () => true)).size).toBe(0);
    expect((await articles.ask(0, ids, () => true)).size).toBe(0);
  });
});

describe('the places of a user', () => {
  it('are feeds, folders, labels and searches by their names', async () => {
    await news.label(ids, { add: ['Later'] });
    const places = await app.inside(UserPlacesRepository).placesOf(readerId);

    expect(places.feed).toEqual([expect.objectContaining({ id: feed.id, name: 'Pixel Weekly' })]);
    expect(places.folder).toEqual([expect.objectContaining({ id: folderId, name: 'Games' })]);
    expect(places.label).toEqual([expect.objectContaining({ name: 'Later' })]);
    const labels = await articles.ask(readerId, ids, ({ labelIds }) => labelIds);
    expect([...labels.values()]).toEqual(ids.map(() => [places.label[0]?.id]));
    expect(places.search).toEqual([]);
  });
});
