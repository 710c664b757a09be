import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import {
  NoticesRepository,
  type NewNotice,
} from '../../src/news/reader/notices/notices.repository.js';
import { NoticesService } from '../../src/news/reader/notices/notices.service.js';
import { rss } from '../support/feed-server.js';
import { NewsClient, ok, type FeedJson, type ItemJson } from '../support/news-client.js';
import { startNoticeReceiver } from '../support/notice-receiver.js';
import { readerOf } from '../support/reader-of.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';

const { app, publisher } = await serviceAndPublisher();
const server = await startNoticeReceiver();
afterAll(() => server.close());

interface ChannelJson {
  readonly id: number;
  readonly target: string;
}

let user: TestUser;
let news: NewsClient;
let feed: FeedJson;
let items: readonly ItemJson[];
let specs = 0;

beforeEach(async () => {
  const path = `/notices-${(specs += 1)}.xml`;
  const articles = ['three', 'two', 'one'].map((title) => ({
    title,
    link: publisher.url(`/${title}`),
    body: `<p>The text of <b>${title}</b>.`,
  }));
  publisher.publish(
    path,
    rss({ title: 'News of the tests', link: publisher.url('/'), items: articles }),
  );
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  feed = await news.subscribe(publisher.url(path));
  items = await news.items({ oldestFirst: true });
  server.answers.length = 0;
  server.usual = 200;
});

const item = (n: number) => items[n - 1] as ItemJson;

async function addChannel(given: object): Promise<ChannelJson> {
  const { channels } = await ok<{ channels: ChannelJson[] }>(news.post('/channels', given));
  return channels[0] as ChannelJson;
}

async function put(notices: readonly Partial<NewNotice>[], of = user): Promise<void> {
  const reader = await readerOf(app, of.credentials.userId);
  await app.inside(ReadersRepository).change(reader, (tx, locked) =>
    app.inside(NoticesRepository).put(
      locked,
      notices.map((notice) => ({
        ruleId: 7,
        ruleName: 'Cats',
        itemId: item(1).id,
        urgent: false,
        channelIds: null,
        digestAt: null,
        ...notice,
      })),
      tx,
    ),
  );
  app.inside(NoticesService).wake();
}

describe('a notice by ntfy', () => {
  it('names article, feed and rule, and leads into the reader', async () => {
    await addChannel({ kind: 'webhook', form: 'ntfy', address: server.url('/topic') });
    const known = server.received.length;

    await put([{ urgent: true }]);

    const { path, json } = await server.next(known);
    expect(path).toBe('/');
    expect(json).toMatchObject({
      topic: 'topic',
      title: 'one',
      message: 'News of the tests\nThe text of one.\nRule: Cats',
      priority: 5,
      click: `${app.url}/apps/news/feeds/${feed.id}?item=${item(1).id}`,
    });
  });

  it('is sent once for a rule, an item and a channel', async () => {
    await addChannel({ kind: 'webhook', form: 'ntfy', address: server.url('/topic') });
    const known = server.received.length;

    await put([{}]);
    await put([{}]);
    await put([{}, { itemId: item(2).id }]);

    expect((await server.next(known)).json['title']).toBe('one');
    expect((await server.next(known + 1)).json['title']).toBe('two');
  });
});
