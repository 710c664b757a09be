import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rss } from '../../support/feed-server.js';
import {
  GoogleReaderClient,
  READING_LIST,
  STATE,
  type ContentsJson,
} from '../../support/google-reader-client.js';
import { NewsClient } from '../../support/news-client.js';
import { serviceAndPublisher } from '../../support/service-and-publisher.js';

const { app, publisher } = await serviceAndPublisher();
beforeAll(() => {
  const link = publisher.url('/');
  const items = [3, 2, 1].map((n) => ({
    title: `a${n}`,
    guid: `tag:a/${n}`,
    link: publisher.url(`/a/${n}`),
    body: `<p>Text of a${n}</p>`,
    author: 'Ada',
    pubDate: new Date(Date.UTC(2026, 0, n)),
  }));
  publisher.publish('/a.xml', rss({ title: 'A', link, items }));
});

describe('a client', () => {
  let reader: GoogleReaderClient;
  let news: NewsClient;
  beforeEach(async () => {
    const user = await app.signIn();
    news = new NewsClient(user, 'v1-3');
    await news.subscribe(publisher.url('/a.xml'));
    reader = await GoogleReaderClient.of(user);
  });

  it('logs in, asks for unread ids and their contents, and marks them', async () => {
    const ids = await reader.ids(READING_LIST, [
      ['xt', `${STATE}read`],
      ['n', '1000'],
    ]);
    expect(ids).toEqual(['1000000000000003', '1000000000000002', '1000000000000001']);

    const answer = await reader.post(
      'stream/items/contents',
      ids.map((id) => ['i', id]),
    );
    expect((answer.json as ContentsJson).items.map(({ title }) => title)).toEqual([
      'a3',
      'a2',
      'a1',
    ]);

    const marked = await reader.post('edit-tag', [
      ['i', ids[0] ?? ''],
      ['a', `${STATE}read`],
      ['a', `${STATE}starred`],
    ]);
    expect(marked.text).toBe('OK');
    expect(await reader.titles(`${STATE}starred`)).toEqual(['a3']);
    expect((await news.item('a3')).unread).toBe(false);
  });
});
