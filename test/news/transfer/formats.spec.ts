import { expect, it } from '@jest/globals';
import { readArchive, takeEverything } from '../../support/account-archive.js';
import { readAsFreshRss } from '../../support/freshrss-reader.js';
import { fillAccount } from '../../support/generated-account.js';
import { Random } from '../../support/histories/random.js';
import { NewsClient } from '../../support/news-client.js';
import { sharedService } from '../../support/shared-service.js';

const { app, publisher } = await sharedService();

it.each([1, 2, 3])(
  'The articles in an archive are read by the rules of FreshRSS, each once (account %i).',
  async (seed) => {
    const user = await app.signIn();
    await fillAccount(user, publisher, new Random(seed));
    const news = new NewsClient(user, 'v1-3');
    const { feeds } = await news.feedList();
    const items = await news.items({ getRead: true, type: 3, batchSize: -1 });
    const { texts } = readArchive(await takeEverything(user));
    const read = ['starred.json', 'labelled.json', 'saved.json'].flatMap((name) =>
      readAsFreshRss(texts.get(name) ?? ''),
    );
    const kept = items.filter(
      ({ starred, labels = [], feedId }) =>
        starred ||
        labels.length > 0 ||
        feeds.some(({ id, url }) => id === feedId && url.startsWith('https://added.invalid/')),
    );
    const keyOf = (feedUrl: string | undefined, guid: string) => `${feedUrl} ${guid}`;
    const byKey = new Map(read.map((article) => [keyOf(article.feedUrl, article.guid), article]));
    expect(byKey.size).toBe(read.length);
    for (const item of kept) {
      const feed = feeds.find(({ id }) => id === item.feedId);
      expect(byKey.get(keyOf(feed?.url, item.guid))).toMatchObject({
        title: item.title,
        link: item.url,
        content: item.body,
        feedTitle: feed?.title,
        isRead: !item.unread,
        isStarred: item.starred,
        labels: item.labels ?? [],
        publishedSeconds: item.pubDate,
      });
    }
  },
);
