import { beforeEach, expect, it } from '@jest/globals';
import { FullTextService } from '../../src/news/sources/full-text/full-text.service.js';
import { rss } from '../support/feed-server.js';
import { NewsClient } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { type TestUser } from '../support/start-app.js';

/** The full text of one article, for a user who asks for it. */

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_RATE_LIMITS: 'on',
  GATEFOLD_LIMITS: 'full-texts-per-user-and-hour=3',
});

let user: TestUser;
let news: NewsClient;
let root: string;
let feeds = 0;
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  feeds += 1;
  root = `/article-page-${feeds}`;
});

const publishPage = (name: string) =>
  publisher.publish(
    `${root}/${name}`,
    `<html><body><nav>${'<a href="/">menu</a>'.repeat(9)}</nav>
     <article><h2>whole text of ${name}</h2>${`<p>${'It goes on, and on, for a while. '.repeat(9)}</p>`.repeat(3)}
     <script>steal()</script><p onclick="steal()"><a href="more">more</a></p></article></body></html>`,
    { contentType: 'text/html; charset=utf-8' },
  );

/** Follows a feed with these articles; each has a page unless its link says otherwise. */
async function follow(names: readonly string[], client = news, link?: string) {
  const items = names.map((name) => ({
    title: name,
    guid: name,
    link: link ?? publisher.url(`${root}/${name}`),
    body: `<p>teaser of ${name}</p>`,
  }));
  publisher.publish(`${root}/feed.xml`, rss({ title: 'F', link: publisher.url('/'), items }));
  return client.subscribe(publisher.url(`${root}/feed.xml`));
}

const ask = async (name: string, client = news) =>
  client.post(`/items/${(await client.item(name)).id}/full-text`);
const asked = (name: string) => publisher.requests(`${root}/${name}`).length;

it('is the sanitised text of the page, and changes nothing about the item', async () => {
  await follow(['a']);
  publishPage('a');
  const before = await news.item('a');
  const since = await app.nowMicros();

  const { status, json } = await ask('a');

  const { body } = json as { body: string };
  expect([status, Object.keys(json as object)]).toEqual([200, ['body']]);
  expect(body).toContain('whole text of a');
  expect(body).toContain(`href="${publisher.url(`${root}/more`)}"`);
  expect(body).not.toMatch(/menu|steal|teaser/);
  expect(await news.item('a')).toEqual(before);
  expect(await news.changedItems(since)).toEqual([]);
});

it('is the stored one if the page was read for others already', async () => {
  const other = new NewsClient(await app.signIn(), 'v1-3');
  await follow(['a']);
  publishPage('a');
  const theirs = await follow(['a'], other);
  await other.call('PATCH', `/feeds/${theirs.id}`, { json: { fullTextEnabled: true } });
  await app.inside(FullTextService).fetchDue();

  expect((await ask('a')).json).toEqual({ body: expect.stringContaining('whole text of a') });
  expect(asked('a')).toBe(1);
  expect((await news.item('a')).body).toContain('teaser');
});

it('is refused for items of others, and for unknown ones', async () => {
  await follow(['a']);
  publishPage('a');
  const { id } = await news.item('a');
  const stranger = new NewsClient(await app.signIn(), 'v1-3');

  expect((await stranger.post(`/items/${id}/full-text`)).status).toBe(404);
  expect((await news.post('/items/999999/full-text')).status).toBe(404);
  expect((await news.post('/items/x/full-text')).status).toBe(422);
  expect(
    (await new NewsClient(app.asStranger(), 'v1-3').post(`/items/${id}/full-text`)).status,
  ).toBe(401);
  expect(asked('a')).toBe(0);
});

it('of an article without a page is refused', async () => {
  await follow(['a'], news, '');

  const { status, json } = await ask('a');

  expect([status, json]).toEqual([422, { message: 'This article has no web page.' }]);
});

it('is refused with the reason if the page cannot be read', async () => {
  await follow(['gone', 'short', 'picture']);
  publisher.publish(`${root}/short`, '<p>Subscribe</p>', { contentType: 'text/html' });
  publisher.publish(`${root}/picture`, 'x', { contentType: 'image/png' });

  const answers = [await ask('gone'), await ask('short'), await ask('picture')];

  expect(
    answers.map(({ status, json }) => [status, (json as { message: string }).message]),
  ).toEqual([
    [422, expect.stringContaining('404')],
    [422, 'The page holds nothing that looks like an article.'],
    [422, expect.stringContaining('sent a document that is not a web page.')],
  ]);
});

it('has a limit per user and hour; stored texts do not count', async () => {
  const other = new NewsClient(await app.signIn(), 'v1-3');
  await follow(['a', 'b']);
  await follow(['a', 'b'], other);
  publishPage('a');
  publishPage('b');
  const answers = [await ask('a'), await ask('b'), await ask('a')];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);

  const refused = await ask('a');

  expect([refused.status, refused.json]).toEqual([
    429,
    { message: expect.stringContaining('3 full texts') },
  ]);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3000);
  expect((await ask('a', other)).status).toBe(200);
  await app.database.query(
    `update article_body set full_text_html = '<p>stored</p>'
      where article_id in (select id from article where url = $1)`,
    [publisher.url(`${root}/b`)],
  );
  expect((await ask('b')).json).toEqual({ body: '<p>stored</p>' });
});
