import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { foreignSettings } from '../../src/news/opml/foreign-attributes.js';
import { SourceRefresher } from '../../src/news/sources/refreshing/source-refresher.service.js';
import { rss, startFeedServer, type FeedServer } from '../support/feed-server.js';
import { NewsClient, ok } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';

/* Attributes of FreshRSS and Miniflux in OPML become settings and rules, or are named one by one. */

interface ImportJson {
  readonly imported: number;
  readonly alreadyThere: number;
  readonly invalid: readonly { title: string; reason: string }[];
  readonly notTaken?: readonly { title: string; attribute: string; reason: string }[];
  readonly moreNotTaken?: number;
}

const { app } = await sharedService();
let publisher: FeedServer;
let news: NewsClient;
let count = 0;
let path: string;
beforeAll(async () => {
  publisher = await startFeedServer();
});
afterAll(() => publisher?.close());
beforeEach(async () => {
  news = new NewsClient(await app.signIn(), 'v1-3');
  path = `/of-others-${count++}`;
  publisher.publish(path, rss({ title: 'Birds', items: [{ title: 'Owl' }] }));
});

const send = (body: string) =>
  ok<ImportJson>(
    news.call('POST', '/opml/import', { body, headers: { 'content-type': 'text/x-opml' } }),
  );
const fileOf = (name: string) => readFileSync(`test/news/imports/files/${name}.opml`, 'utf8');
const opml = (...outlines: string[]) =>
  `<opml version="2.0" xmlns:frss="https://freshrss.org/opml" xmlns:miniflux="https://miniflux.app/opml"><head/><body>${outlines.join('')}</body></opml>`;
const outline = (attributes: string) =>
  `<outline type="rss" text="Birds" xmlUrl="${publisher.url(path)}" ${attributes}/>`;
const rules = async () =>
  (
    await ok<{ rules: { query: string; actions: { type: string }[] }[] }>(news.get('/rules'))
  ).rules.map(({ query, actions }) => [query, actions[0]?.type]);
const attributesOf = ({ notTaken = [] }: ImportJson) => notTaken.map(({ attribute }) => attribute);

async function fetchNow(): Promise<void> {
  const { feeds } = await news.feedList();
  const [source] = await app.database.query<{ id: number }>(
    'select source_id as id from subscription where id = $1',
    [feeds[0]?.id],
  );
  await app.inside(SourceRefresher).refreshNow(source?.id ?? 0);
}

describe('a file of', () => {
  it('FreshRSS brings a feed with full text and rules, and names what it cannot bring', async () => {
    const result = await send(fileOf('freshrss'));

    expect(result).toMatchObject({ imported: 1, alreadyThere: 0 });
    const { feeds } = await news.feedList();
    expect(feeds).toEqual([
      expect.objectContaining({ url: 'https://birds.example.org/feed.xml', fullTextEnabled: true }),
    ]);
    expect((await news.folders()).map(({ name }) => name)).toEqual(['Nature']);
    expect(await rules()).toEqual([
      ['intitle:/advert/i', 'read'],
      ['author:/bot/i', 'read'],
    ]);
    expect(result.invalid).toEqual([
      expect.objectContaining({ title: 'A page', reason: expect.stringContaining('selectors') }),
      expect.objectContaining({ title: 'An API', reason: expect.stringContaining('selectors') }),
      expect.objectContaining({
        title: 'Team list',
        url: 'https://team.example.org/list.opml',
        reason: 'Lists of feeds that change by themselves are not followed.',
      }),
    ]);
    expect(attributesOf(result)).toEqual(['frss:cssFullContent', 'frss:cssFullContentFilter']);
  });

  it('Miniflux brings a feed with full text and a rule, and names what it cannot bring', async () => {
    const result = await send(fileOf('miniflux'));

    expect(result).toMatchObject({ imported: 1, invalid: [] });
    const { feeds } = await news.feedList();
    expect(feeds).toEqual([expect.objectContaining({ fullTextEnabled: true })]);
    expect(await rules()).toEqual([['intitle:/advert/i', 'hide']]);
    expect(result.notTaken).toEqual([
      {
        title: 'Bird & Co',
        url: 'https://birds.example.org/feed.xml',
        line: 3,
        attribute: 'miniflux:scraperRules',
        reason: 'Full text finds the text of an article by itself, without selectors.',
      },
      expect.objectContaining({
        attribute: 'miniflux:disabled',
        reason: 'Feeds cannot be switched off, so this one is fetched.',
      }),
    ]);
  });

  it('either is imported once', async () => {
    await send(fileOf('freshrss'));

    expect(await send(fileOf('miniflux'))).toMatchObject({ imported: 0, alreadyThere: 1 });
    expect(await send(fileOf('freshrss'))).toMatchObject({ imported: 0, alreadyThere: 1 });
  });
});

describe('headers of a feed', () => {
  it.each([
    [
      'cookie and user agent of FreshRSS',
      'frss:CURLOPT_COOKIE="a=1; b=2" frss:CURLOPT_USERAGENT="Owl/1"',
      { cookie: 'a=1; b=2', 'user-agent': 'Owl/1' },
    ],
    ['the user agent of Miniflux', 'miniflux:userAgent="Owl/2"', { 'user-agent': 'Owl/2' }],
    [
      'headers of FreshRSS',
      `frss:CURLOPT_HTTPHEADER="Cookie: c=3&#10;Authorization: Basic ${btoa('ada:p:w')}"`,
      { cookie: 'c=3', authorization: `Basic ${btoa('ada:p:w')}` },
    ],
  ])('are sent: %s', async (_what, attributes, headers) => {
    const result = await send(opml(outline(attributes)));
    await fetchNow();

    expect(result).toMatchObject({ imported: 1, invalid: [] });
    expect(attributesOf(result)).toEqual([]);
    expect(publisher.requests(path).at(-1)?.headers).toMatchObject(headers);
    expect((await news.feedList()).feeds).toMatchObject([{ url: publisher.url(path) }]);
  });

  it('are those of one user; another follows the same address without them', async () => {
    await send(opml(outline('frss:CURLOPT_COOKIE="a=1"')));
    news = new NewsClient(await app.signIn(), 'v1-3');
    await send(opml(outline('')));
    await fetchNow();

    expect(publisher.requests(path).at(-1)?.headers.cookie).toBeUndefined();
  });

  it.each([
    ['frss:CURLOPT_HTTPHEADER="X-Key: 1"', 'frss:CURLOPT_HTTPHEADER'],
    ['frss:CURLOPT_COOKIE="a=1&#10;X-Evil: 1"', 'frss:CURLOPT_COOKIE'],
    [`miniflux:userAgent="${'x'.repeat(501)}"`, 'miniflux:userAgent'],
    ['frss:CURLOPT_PROXY="http://10.0.0.1"', 'frss:CURLOPT_PROXY'],
    ['frss:CURLOPT_COOKIEFILE="x"', 'frss:CURLOPT_COOKIEFILE'],
    ['frss:CURLOPT_POST="1"', 'frss:CURLOPT_POST'],
  ])('are not sent, and named: %s', async (attributes, named) => {
    const result = await send(opml(outline(attributes)));
    await fetchNow();

    expect(result).toMatchObject({ imported: 1, invalid: [] });
    expect(attributesOf(result)).toEqual([named]);
    const { headers, method } = publisher.requests(path).at(-1) ?? {};
    expect([method, headers?.cookie, headers?.['x-key'], headers?.['x-evil']]).toEqual([
      'GET',
      undefined,
      undefined,
      undefined,
    ]);
    expect(headers?.['user-agent']).toContain('Gatefold');
  });
});

describe('attributes of other readers', () => {
  it('each have a sentence, or a setting or rule', () => {
    const miniflux =
      'scraperRules rewriteRules urlRewriteRules blocklistRules keeplistRules blockFilterEntryRules keepFilterEntryRules userAgent crawler ignoreHTTPCache fetchViaProxy disabled noMediaPlayer hideGlobally allowSelfSignedCertificates disableHTTP2 ignoreEntryUpdates';
    const given = Object.fromEntries(
      miniflux.split(' ').map((name) => [`miniflux:${name}`.toLowerCase(), 'true']),
    );

    const named = foreignSettings(given)?.notTaken.map(({ attribute }) => attribute) ?? [];

    const taken = /(?:list|Entry)Rules$|userAgent$|crawler$/;
    expect(named).toEqual(
      miniflux.split(' ').flatMap((name) => (taken.test(name) ? [] : `miniflux:${name}`)),
    );
  });

  it('that nobody knows are named, and those that are off are not', () => {
    expect(
      foreignSettings({
        'frss:new': 'x',
        'miniflux:disabled': 'false',
        'miniflux:crawler': 'false',
        'frss:csscontent': '',
        text: 'x',
      }),
    ).toEqual({ notTaken: [{ attribute: 'frss:new', reason: 'Gatefold does not know it.' }] });
  });

  it('are listed up to a limit', async () => {
    const many = Array.from(
      { length: 501 },
      (_, n) =>
        `<outline type="rss" xmlUrl="https://many.example/${path}/${n}" miniflux:disabled="true"/>`,
    );

    const { notTaken, moreNotTaken } = await send(opml(...many));

    expect([notTaken?.length, moreNotTaken]).toEqual([500, 1]);
  });
});

it('A feed is already there at an address that it had before', async () => {
  const feed = await news.subscribe(publisher.url(path));
  publisher.publish(`${path}-new`, rss({ title: 'Birds', items: [{ title: 'Lark' }] }));
  await ok(
    news.call('PATCH', `/feeds/${feed.id}`, { json: { url: publisher.url(`${path}-new`) } }),
  );

  expect(await send(opml(outline('')))).toMatchObject({ imported: 0, alreadyThere: 1 });

  await ok(news.delete(`/feeds/${feed.id}`));
  expect(await send(opml(outline('')))).toMatchObject({ imported: 1, alreadyThere: 0 });
});
