import { beforeEach, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NewsClient } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';
import { startApp, type TestUser } from '../support/start-app.js';

const { app, publisher } = await sharedService();

interface ChapterJson {
  readonly startSeconds: number;
  readonly title: string;
  readonly url: string | null;
}

describe('chapters of a recording', () => {
  let user: TestUser;
  let number = 0;
  let at: string;
  beforeEach(async () => {
    user = await app.signIn();
    number += 1;
    at = `/chapters-${number}.json`;
  });

  const show = async (id: number, of: TestUser = user) => {
    const { status, json } = await new NewsClient(of, 'v1-3').get(`/items/${id}/chapters`);
    return { status, chapters: (json as { chapters?: ChapterJson[] }).chapters };
  };

  /** Lets a user follow a feed, whose items name these documents. */
  async function follow(addresses: readonly (string | null)[], of: TestUser = user) {
    const path = `/feed-of-chapters-${number}.xml`;
    const items = addresses.map(
      (address, n) =>
        `<item><title>Episode ${n}</title><guid>${n}</guid><description>d</description>
         ${address === null ? '' : `<podcast:chapters url="${address}" type="application/json+chapters"/>`}</item>`,
    );
    publisher.publish(
      path,
      `<?xml version="1.0"?><rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0">
       <channel><title>Podcast</title>${items.join('')}</channel></rss>`,
    );
    const news = new NewsClient(of, 'v1-3');
    await news.subscribe(publisher.url(path));
    const ids: number[] = [];
    for (const n of addresses.keys()) {
      ids.push((await news.item(`Episode ${n}`)).id);
    }
    return ids;
  }

  const followOne = async (address: string | null = publisher.url(at)) =>
    (await follow([address]))[0] ?? 0;

  const publish = (document: unknown, path = at) =>
    publisher.publish(path, JSON.stringify(document), { contentType: 'application/json' });

  const chaptersOf = async (document: unknown) => {
    publish(document);
    return show(await followOne());
  };

  it('are read from the document that the item names, once for all readers', async () => {
    publish({
      version: '1.2.0',
      chapters: [
        { startTime: 90.5, title: 'The tides', url: 'https://a.example/tides', img: 'x.png' },
        { startTime: 0, title: 'We begin' },
      ],
    });
    const id = await followOne();
    const expected = [
      { startSeconds: 0, title: 'We begin', url: null },
      { startSeconds: 90.5, title: 'The tides', url: 'https://a.example/tides' },
    ];

    expect(await show(id)).toEqual({ status: 200, chapters: expected });
    expect((await show(id)).chapters).toEqual(expected);
    const other = await app.signIn();
    const [theirs = 0] = await follow([publisher.url(at)], other);
    expect((await show(theirs, other)).chapters).toEqual(expected);
    expect(publisher.requests(at)).toHaveLength(1);
  });

  it('are none of an item without them', async () => {
    expect(await show(await followOne(null))).toEqual({ status: 200, chapters: [] });
  });

  it('are not shown to others', async () => {
    publish({ version: '1', chapters: [] });
    const id = await followOne();

    expect((await show(id, await app.signIn())).status).toBe(404);
    expect((await show(id + 1000)).status).toBe(404);
    expect(publisher.requests(at)).toHaveLength(0);
  });

  it('of wrong types are left out', async () => {
    const { chapters } = await chaptersOf({
      version: '1.2.0',
      chapters: [
        null,
        7,
        [],
        { startTime: '3', title: 'a text for a number' },
        { startTime: -1, title: 'before the beginning' },
        { startTime: 10 ** 12, title: 'after the end' },
        { startTime: 1, title: 5 },
        { startTime: 1 },
        { startTime: 1, title: '  ' },
        { startTime: 1, title: 'hidden', toc: false },
        { startTime: 2, title: '<b>one\nline</b>', url: 'javascript:alert(1)', toc: true },
        { startTime: 3, title: 'a'.repeat(500), url: 5 },
      ],
    });

    expect(chapters?.map(({ startSeconds, url }) => [startSeconds, url])).toEqual([
      [2, null],
      [3, null],
    ]);
    expect(chapters?.[0]?.title).not.toMatch(/[<>\n]/);
    expect(chapters?.[1]?.title.length).toBeLessThanOrEqual(200);
  });

  it('are at most 500', async () => {
    const many = Array.from({ length: 2000 }, (_, n) => ({ startTime: n, title: `${n}` }));

    expect((await chaptersOf({ version: '1', chapters: many })).chapters).toHaveLength(500);
  });

  it.each([
    ['a list', []],
    ['nothing', null],
    ['another object', { version: 1, chapters: [{ startTime: 0, title: 'x' }] }],
    ['chapters that are no list', { version: '1', chapters: { length: 1 } }],
    ['a huge document', { version: '1', chapters: [], more: 'x'.repeat(300 * 1024) }],
  ])('are none if the publisher sends %s', async (_what, document) => {
    expect(await chaptersOf(document)).toEqual({ status: 200, chapters: [] });
  });

  it('are none if the document is no JSON, or an error, and are not asked for again at once', async () => {
    publisher.publish(at, '{"version": "1", "chap');
    publisher.fail('/broken-chapters', 500);
    publisher.drop('/dropped-chapters');
    const addresses = [at, '/broken-chapters', '/dropped-chapters'].map((path) =>
      publisher.url(path),
    );
    for (const id of await follow(addresses)) {
      expect(await show(id)).toEqual({ status: 200, chapters: [] });
    }
    const [, broken = 0] = await follow(addresses, (user = await app.signIn()));
    await show(broken);

    expect(publisher.requests('/broken-chapters')).toHaveLength(1);
  });

  it('of a slow publisher are fetched once, and a few at once', async () => {
    const paths = Array.from({ length: 9 }, (_, n) => `/slow-${n}.json`);
    const release = paths.map((path) => publisher.hang(path));
    const ids = await follow(paths.map((path) => publisher.url(path)));
    const first = ids.slice(0, 8).map((id) => show(id));
    await Promise.all(paths.slice(0, 8).map((path) => publisher.whenAsked(path)));
    const again = show(ids[0] ?? 0);

    expect((await show(ids[8] ?? 0)).status).toBe(429);
    release.forEach((letGo) => letGo());
    for (const answer of await Promise.all([...first, again])) {
      expect(answer).toEqual({ status: 200, chapters: [] });
    }
    expect(publisher.requests('/slow-0.json')).toHaveLength(1);
    expect((await show(ids[8] ?? 0)).status).toBe(200);
  });

  it('are found after a redirect, but not in a network that is not allowed', async () => {
    let asked = 0;
    const inside = createServer((_request, response) => {
      asked += 1;
      response.end(JSON.stringify({ version: '1', chapters: [{ startTime: 1, title: 'secret' }] }));
    });
    await new Promise<void>((listening) => inside.listen(0, '127.0.0.2', listening));
    const { port } = inside.address() as AddressInfo;
    publisher.redirect(at, `http://127.0.0.2:${port}/`);
    const strict = await startApp({ GATEFOLD_FETCH_ALLOW_PRIVATE: '127.0.0.1/32' });
    try {
      const reader = await strict.signIn();
      const [denied = 0] = await follow([publisher.url(at)], reader);
      expect(await show(denied, reader)).toEqual({ status: 200, chapters: [] });
      expect(asked).toBe(0);

      expect((await show(await followOne())).chapters).toHaveLength(1);
      expect(asked).toBe(1);
    } finally {
      await strict.stop();
      inside.close();
      inside.closeAllConnections();
    }
  });
});
