import { beforeAll, expect, it } from '@jest/globals';
import { XMLParser } from 'fast-xml-parser';
import { rss } from '../../support/feed-server.js';
import { GoogleReaderClient, longId } from '../../support/google-reader-client.js';
import { NewsClient } from '../../support/news-client.js';
import { sharedService } from '../../support/shared-service.js';

/* Streams as Atom documents, as newsboat with `urls-source "feedhq"` reads them. */

const { app, publisher } = await sharedService();

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  isArray: (name) => ['entry', 'category', 'link'].includes(name),
});

interface Entry {
  readonly id: string;
  readonly title: { readonly '#text': string };
  readonly published: string;
  readonly category: readonly { readonly label: string; readonly scheme: string }[];
  readonly link?: readonly { readonly rel: string; readonly href: string; readonly type: string }[];
  readonly summary: { readonly '#text': string; readonly type: string };
  readonly author?: { readonly name: string };
}

let news: NewsClient;
let reader: GoogleReaderClient;
let feedId: number;
beforeAll(async () => {
  const user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  publisher.publish(
    '/feed.xml',
    rss({
      title: 'Sea & Shore',
      items: [
        { title: 'plain', guid: 'urn:x:1' },
        {
          title: 'a < b & "c"',
          guid: 'urn:x:2',
          link: 'https://publisher.example/?a=1&b=2',
          body: '<p>Text &amp; more ]]></p>',
          author: 'Ada & Eve',
          pubDate: new Date('1999-01-01T00:00:00Z'),
          enclosure: { url: 'https://publisher.example/a.mp3?x=1&y=2', type: 'audio/mpeg' },
        },
      ],
    }),
  );
  const folder = await news.createFolder('Café & Tee');
  feedId = (await news.subscribe(publisher.url('/feed.xml'), folder.id)).id;
  reader = await GoogleReaderClient.of(user);
});

const atom = (path: string, token = reader.token) =>
  app.asStranger().call('GET', `/reader/atom/${path}`, {
    headers: { authorization: `GoogleLogin auth=${token}` },
  });

async function entriesOf(path: string): Promise<readonly Entry[]> {
  const { status, text, headers } = await atom(path);
  expect([status, headers['content-type']]).toEqual([200, 'application/atom+xml; charset=utf-8']);
  const { feed } = parser.parse(text) as { feed: { entry?: Entry[] } };
  return feed.entry ?? [];
}

it('An entry has what a client shows, and its id for edits.', async () => {
  const { id } = await news.item('a < b & "c"');
  const entry = (await entriesOf(`feed%2F${feedId}?n=20`)).find((each) => each.id === longId(id));

  expect(entry).toMatchObject({
    title: { '#text': 'a < b & "c"' },
    published: '1999-01-01T00:00:00Z',
    summary: { type: 'html' },
    author: { name: 'Ada & Eve' },
  });
  expect(entry?.link).toEqual([
    { rel: 'alternate', href: 'https://publisher.example/?a=1&b=2', type: 'text/html' },
    {
      rel: 'enclosure',
      href: 'https://publisher.example/a.mp3?x=1&y=2',
      type: 'audio/mpeg',
    },
  ]);
});

it('A category says whether it is read, in words that newsboat knows.', async () => {
  const { id } = await news.item('plain');
  const labels = async () =>
    (await entriesOf(`feed/${feedId}`))
      .find((each) => each.id === longId(id))
      ?.category.map(({ label }) => label);

  expect(await labels()).toEqual(['fresh', 'Café & Tee']);
  await news.post(`/items/${id}/read`);
  await news.star(await news.item('plain'));
  expect(await labels()).toEqual(['read', 'starred', 'Café & Tee']);
});

it('A document continues where the one before ended.', async () => {
  const first = await atom('user/-/state/com.google/reading-list?n=1');
  const continuation = /<gr:continuation>(\d+)<\/gr:continuation>/.exec(first.text)?.[1];
  const rest = await atom(`user/-/state/com.google/reading-list?n=1&c=${continuation}`);

  const idIn = (text: string) => /<entry><id>([^<]+)/.exec(text)?.[1];
  expect(new Set([idIn(first.text), idIn(rest.text)]).size).toBe(2);
  expect(rest.text).not.toContain('gr:continuation>');
});

it('It is for the owner: nothing of a stranger, and nothing without a token.', async () => {
  const stranger = await GoogleReaderClient.of(await app.signIn());

  expect((await atom(`feed/${feedId}`, stranger.token)).text).not.toContain('<entry>');
  expect((await atom(`feed/${feedId}`, 'wrong')).status).toBe(401);
});
