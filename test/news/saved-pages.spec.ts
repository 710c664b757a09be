import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import iconv from 'iconv-lite';
import { ConsentsService } from '../../src/app-api/consent/consents.service.js';
import type { AppPasswordScope } from '../../src/common/ports/app-password-scope.js';
import { SearchIndex } from '../../src/news/reader/search/search-index.service.js';
import { PageReadings } from '../../src/news/sources/full-text/page-readings.service.js';
import { AppPasswordsService } from '../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { ApiClient } from '../support/api-client.js';
import { knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { rss, type PublishOptions } from '../support/feed-server.js';
import { feverClientOf } from '../support/fever-client.js';
import { GoogleReaderClient, READING_LIST } from '../support/google-reader-client.js';
import { NewsClient, ok, titles } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';

/** Web pages that people and apps keep by their address alone. */

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_RATE_LIMITS: 'on',
  GATEFOLD_LIMITS: 'full-texts-per-user-and-hour=6 saved-pages-per-user=4',
});

const NEWS = '/index.php/apps/news/api/v1-3';

interface Kept {
  readonly feedId: number;
  readonly items: readonly { readonly id: number; readonly guid: string }[];
  readonly kept: { readonly outcome: string; readonly title: string; readonly problem: string };
}

// An allow-listed host needs no second between requests; a fetch of a feed would find that out.
beforeAll(() =>
  app.database.query(
    `insert into host_state (host_key, next_slot_at, unspaced) values ('127.0.0.1', now(), true)`,
  ),
);

let user: TestUser;
let news: NewsClient;
let root: string;
let tests = 0;
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  tests += 1;
  root = `/saved-${tests}`;
});

const at = (name: string) => publisher.url(`${root}/${name}`);
const HTML: PublishOptions = { contentType: 'text/html; charset=utf-8' };
const publish = (name: string, page: string | Buffer, options = HTML) =>
  publisher.publish(`${root}/${name}`, page, options);
const text = (words: string) => `<p>${`${words}, and so on, and on. `.repeat(12)}</p>`.repeat(3);
const aPage = (words: string, head = '') =>
  `<!doctype html><html><head><title>A page | Site</title>${head}</head><body>
   <nav>${'<a href="/">menu</a>'.repeat(9)}</nav><article>${text(words)}</article></body></html>`;
const send = (json: object, client = news) => client.post('/items', json);
const keep = (name: string, more: object = {}, client = news) =>
  ok<Kept>(send({ url: at(name), ...more }, client));
const one = async (): Promise<Awaited<ReturnType<typeof news.items>>[number]> => {
  const [item, ...others] = await news.items();
  if (item === undefined || others.length > 0) {
    throw new Error(`Expected one item, but there are ${others.length + 1}`);
  }
  return item;
};

describe('a page that is kept by its address', () => {
  it('is an unread item of the feed “Saved pages”, with what the page says about itself', async () => {
    const ld = {
      '@context': 'https://schema.org',
      '@graph': [
        { '@type': 'WebSite', name: 'The Tide' },
        {
          '@type': 'NewsArticle',
          headline: 'Low tide at six',
          datePublished: '2024-05-01T06:00:00Z',
          author: [{ '@type': 'Person', name: 'Ada' }, { name: 'Bob' }],
        },
      ],
    };
    publish(
      'tide',
      aPage(
        'The sea is low',
        `<meta property="og:site_name" content="The Tide">
         <meta property="og:image" content="/tide.jpg">
         <script type="application/ld+json">${JSON.stringify(ld)}</script>`,
      ),
    );

    const { feedId, items, kept } = await keep('tide');

    expect(kept).toEqual({ outcome: 'saved', title: 'Low tide at six', problem: null });
    expect((await news.feedList()).feeds).toMatchObject([{ id: feedId, title: 'Saved pages' }]);
    const item = await one();
    expect(item).toMatchObject({
      id: items[0]?.id,
      feedId,
      url: at('tide'),
      title: 'Low tide at six',
      author: 'Ada, Bob',
      pubDate: Date.UTC(2024, 4, 1, 6) / 1000,
      mediaThumbnail: publisher.url('/tide.jpg'),
      unread: true,
      starred: false,
    });
    expect(item.body).toContain('The sea is low');
    expect(item.body).not.toContain('menu');
  });

  it('is sanitised, and nothing of it runs', async () => {
    publish(
      'trap',
      aPage(
        'x',
        '<meta property="og:title" content="&lt;img src=x onerror=steal()&gt; Trap"><meta property="og:image" content="javascript:steal()">',
      ).replace(
        '</article>',
        '<p onclick="steal()">more <img src="/p.png" onerror="steal()"><script>steal()</script><a href="javascript:steal()">a</a></p></article>',
      ),
    );

    await keep('trap');

    const item = await one();
    expect(item.body).toContain(`src="${publisher.url('/p.png')}"`);
    expect(JSON.stringify(item)).not.toMatch(/<script|onclick=|javascript:|<img[^>]*onerror/);
    expect(item.mediaThumbnail).toBe(publisher.url('/p.png'));
    expect(item.title).not.toContain('<');
  });

  it.each([
    ['German', 'iso-8859-1', 'Übermäßig große Flut', 'de'],
    ['Chinese', 'gb18030', '海水退去的时候，人们看见了沙滩', 'zh'],
  ])('in %s is read in the charset that its meta tag names', async (_, charset, words, lang) => {
    const page = `<html lang="${lang}"><head><meta charset="${charset}"><title>${words}</title></head>
      <body><article>${text(words)}</article></body></html>`;
    publish('page', iconv.encode(page, charset), { contentType: 'text/html' });

    await keep('page');

    expect(await one()).toMatchObject({ title: words, body: expect.stringContaining(words) });
  });

  it('has the date of its first time element, and title and author of meta tags', async () => {
    publish(
      'meta',
      aPage(
        'x',
        '<meta property="og:title" content="A tide"><meta name="author" content="Ada">',
      ).replace('<article>', '<article><time datetime="2023-02-01T00:00:00Z">yesterday</time>'),
    );

    await keep('meta');

    expect(await one()).toMatchObject({
      title: 'A tide',
      author: 'Ada',
      pubDate: Date.UTC(2023, 1, 1) / 1000,
    });
  });

  it('is kept under the address that it redirects to, without the parameters of trackers', async () => {
    publish('there', aPage('x'));
    publisher.redirect(`${root}/short`, `${root}/there?utm_source=mail&id=3`);

    await keep('short');

    expect(await one()).toMatchObject({ url: at('there?id=3') });
  });

  it('reaches clients of the other APIs and search', async () => {
    publish('light', aPage('The lighthouse'));

    await keep('light');

    const reader = await GoogleReaderClient.of(user);
    expect(await reader.titles(READING_LIST)).toEqual(['A page | Site']);
    expect(await (await feverClientOf(app, user)).titles()).toEqual(['A page | Site']);
    const found = await ok<{ items: [] }>(news.get('/search', { query: 'lighthouse' }));
    expect(titles(found.items)).toEqual(['A page | Site']);
  });

  it('is not removed as an old read item', async () => {
    publish('old', aPage('x'));
    const { items } = await keep('old');

    expect(
      await app.database.query(
        'select retained from item_mark join reader on reader.id = reader_id where user_id = $1 and item_id = $2',
        [user.credentials.userId, items[0]?.id],
      ),
    ).toEqual([{ retained: true }]);
  });

  it.each(['before', 'after'])(
    'stays kept when a rule is undone that retains it and was made %s',
    async (when) => {
      const makeRule = async () => {
        const rule = { query: 'intitle:page', actions: [{ type: 'retain' }] };
        const { rules } = await ok<{ rules: { id: number }[] }>(news.post('/rules', rule));
        return rules[0]?.id;
      };
      publish('ruled', aPage('x'));
      const early = when === 'before' ? await makeRule() : undefined;
      const { items } = await keep('ruled');
      const ruleId = early ?? (await makeRule());
      if (when === 'after') {
        await ok(news.post(`/rules/${ruleId}/apply`));
      }

      await ok(news.post(`/rules/${ruleId}/undo`));

      expect(
        await app.database.query(
          `select item_id as id from item_mark join reader on reader.id = reader_id
            where user_id = $1 and retained`,
          [user.credentials.userId],
        ),
      ).toEqual([{ id: items[0]?.id }]);
    },
  );
});

describe('a page that is kept again', () => {
  it('is the same item, renewed, however its address is spelled', async () => {
    publish('page', aPage('First'));
    const first = await keep('page');
    await ok(news.post(`/items/${first.items[0]?.id}/read`));
    publish('page', aPage('Second'));

    const again = await keep('page?utm_campaign=x#top');

    expect(again).toMatchObject({ items: first.items, kept: { outcome: 'renewed' } });
    const item = await one();
    expect([item.unread, item.body.includes('Second')]).toEqual([false, true]);
  });

  it('keeps its text when the page has died, and the answer says so', async () => {
    publish('page', aPage('Still here'));
    const first = await keep('page');
    publisher.fail(`${root}/page`, 404);

    const again = await keep('page');

    expect(again).toEqual({
      ...first,
      kept: {
        outcome: 'unchanged',
        title: 'A page | Site',
        problem: expect.stringContaining('answered with status 404.'),
      },
    });
    expect((await one()).body).toContain('Still here');
  });

  it('gets its text when it could not be read before', async () => {
    publisher.fail(`${root}/page`, 503);
    const first = await keep('page', { pageTitle: 'As my browser said' });
    expect(await one()).toMatchObject({
      title: 'As my browser said',
      body: expect.stringContaining('answered with status 503.'),
    });
    publish('page', aPage('Now'));

    const again = await keep('page');

    expect(again).toMatchObject({ items: first.items, kept: { outcome: 'renewed' } });
    expect(await one()).toMatchObject({ title: 'A page | Site' });
  });
});

describe('a page that a feed of the user has delivered', () => {
  const follow = async (link: string, client = news) => {
    const items = [{ title: 'Delivered', guid: 'not-the-address', link, body: 'teaser' }];
    publisher.publish(`${root}/feed.xml`, rss({ title: 'F', items }));
    return client.subscribe(at('feed.xml'));
  };

  it.each([
    ['indexed already', true, 'page?utm_source=feed', 'page'],
    ['not indexed yet', false, 'page', 'page?fbclid=1'],
  ])('is starred instead, %s', async (_, isIndexed, link, asked) => {
    const feed = await follow(at(link));
    if (isIndexed) {
      await app.inside(SearchIndex).indexPending();
    }

    const { feedId, items, kept } = await keep(asked);

    expect(kept).toEqual({ outcome: 'starred', title: 'Delivered', problem: null });
    const item = await one();
    expect([feedId, items[0]?.id]).toEqual([feed.id, item.id]);
    expect(item).toMatchObject({ starred: true, unread: true, title: 'Delivered' });
    expect(publisher.requests(`${root}/page`)).toEqual([]);
  });

  it('is starred also when its address leads there by a redirect, or by its own word', async () => {
    await follow(at('page'));
    publisher.redirect(`${root}/short`, at('page'));
    publish('page', aPage('x'));
    publish('print', aPage('x', `<link rel="canonical" href="${at('page')}">`));

    const answers = [await keep('short'), await keep('print')];

    expect(answers.map(({ kept }) => kept.outcome)).toEqual(['starred', 'starred']);
    expect(await one()).toMatchObject({ starred: true });
  });

  it('is kept as a page by those who do not follow the feed', async () => {
    await follow(at('page'), new NewsClient(await app.signIn(), 'v1-3'));
    publish('page', aPage('x'));
    await app.inside(SearchIndex).indexPending();

    expect((await keep('page')).kept.outcome).toBe('saved');
  });
});

describe('a page without a text', () => {
  const sentence = async (name: string, more = {}) => {
    const { kept } = await keep(name, more);
    expect((await one()).body).toContain(kept.problem);
    return kept;
  };

  it('behind a login is kept as a link with the title that the browser knows', async () => {
    publisher.fail(`${root}/secret`, 401);
    expect(await sentence('secret', { pageTitle: 'My account' })).toEqual({
      outcome: 'saved',
      title: 'My account',
      problem: expect.stringContaining('shows this page only after a login.'),
    });
  });

  it('that leads to a login page keeps its own address', async () => {
    publisher.redirect(`${root}/secret`, `${root}/login`);
    publish('login', '<title>Log in</title><form><input type="password"></form>');

    expect(await sentence('secret')).toMatchObject({ title: expect.stringContaining('secret') });
    expect((await one()).url).toBe(at('secret'));
  });

  it('is a PDF document with its file name, also if its type lies', async () => {
    publish('tide%20table.pdf', '%PDF-1.7 …', HTML);
    expect(await sentence('tide%20table.pdf')).toMatchObject({
      title: 'tide table.pdf',
      problem: 'This is a PDF document, whose text is not read.',
    });
  });

  it('is a video with its title, picture and player', async () => {
    publish(
      'watch',
      `<html><head><meta property="og:title" content="A video of the tide">
       <meta property="og:image" content="https://i.ytimg.com/vi/abc/hq.jpg">
       <meta property="og:description" content="Filmed &lt;at&gt; six">
       <meta property="og:video:url" content="https://www.youtube.com/embed/dQw4w9WgXcQ"></head>
       <body><div id="player"></div></body></html>`,
    );

    expect(await sentence('watch')).toMatchObject({ title: 'A video of the tide' });
    expect(await one()).toMatchObject({ mediaThumbnail: 'https://i.ytimg.com/vi/abc/hq.jpg' });
    const { body } = await one();
    expect(body).toContain('Filmed &lt;at&gt; six');
    expect(body).toMatch(/<iframe[^>]*youtube[^>]*dQw4w9WgXcQ/);
  });

  it('is a picture, which is shown', async () => {
    publish('sea.png', 'PNG', { contentType: 'image/png' });
    expect(await sentence('sea.png')).toMatchObject({ title: 'sea.png' });
    expect(await one()).toMatchObject({ mediaThumbnail: at('sea.png') });
  });

  it('sends browsers round and round', async () => {
    publish(
      'loop',
      `<title>Wait</title><meta http-equiv="refresh" content="0; url=${at('loop')}">`,
    );
    expect(await sentence('loop')).toMatchObject({ title: 'Wait' });
    expect(publisher.requests(`${root}/loop`)).toHaveLength(1);
  });

  it('is larger than 2 MiB, and has its title', async () => {
    publish('large', aPage('x').replace('</article>', 'x'.repeat(5 * 1024 * 1024)));
    expect(await sentence('large')).toMatchObject({
      title: 'A page | Site',
      problem: expect.stringContaining('sent more than 2 MiB.'),
    });
  });

  it('is too intricate for a reader, and has its title', async () => {
    publish('bomb', aPage('x').replace('</article>', '<b>'.repeat(300_000)));
    expect(await sentence('bomb')).toMatchObject({
      title: 'A page | Site',
      problem: 'The page is too intricate to be read.',
    });
  });

  it('does not answer in time', async () => {
    const answerIt = publisher.hang(`${root}/slow`);
    const pages = app.inside(PageReadings);
    pages.waitSeconds = 0.3;
    try {
      expect((await sentence('slow')).problem).toContain('did not answer within 0.3 s.');
    } finally {
      pages.waitSeconds = 20;
      answerIt();
    }
  });

  it('is on a server that is gone', async () => {
    const { kept } = await ok<Kept>(send({ url: 'http://127.0.0.1:1/x' }));
    expect(kept.problem).toContain('it refused the connection');
  });

  it('is told in the language of who keeps it', async () => {
    publisher.fail(`${root}/gone`, 503);
    await ok(
      news.call('POST', '/items', {
        json: { url: at('gone') },
        headers: { 'accept-language': 'de' },
      }),
    );
    expect((await one()).body).toContain('Status 503');
  });

  it('is read as a web page if it looks like one and its server knows no type', async () => {
    publish('plain', aPage('Plain'), { contentType: 'application/octet-stream' });
    expect((await keep('plain')).kept.problem).toBeNull();
  });
});

describe('an address', () => {
  it('in a private network is refused, and nothing is stored', async () => {
    publisher.redirect(`${root}/inside`, 'http://10.0.0.1/');

    const answers = [await send({ url: 'http://10.0.0.1/x' }), await send({ url: at('inside') })];

    expect(answers.map(({ status }) => status)).toEqual([422, 422]);
    expect(answers[0]?.json).toEqual({ message: expect.stringContaining('10.0.0.1') });
    expect([await news.items(), (await news.feedList()).feeds]).toEqual([[], []]);
  });

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'tide', ''])(
    'such as %j is refused',
    async (url) => {
      expect((await send({ url })).status).toBe(422);
    },
  );

  it('with a title or a body is an item that is not read, as before; so are lists', async () => {
    const others = [
      { url: at('a'), title: 'A' },
      { url: at('b'), body: 'B' },
      { items: [{ url: at('c') }] },
    ];

    const answers = await Promise.all(others.map((json) => ok<object>(send(json))));

    expect(answers.map((answer) => Object.keys(answer))).toEqual(
      Array.from({ length: 3 }, () => ['feedId', 'items']),
    );
    expect(['a', 'b', 'c'].flatMap((name) => publisher.requests(`${root}/${name}`))).toEqual([]);
  });

  it('from a stranger keeps nothing', async () => {
    publish('page', aPage('x'));
    const stranger = new NewsClient(app.asStranger(), 'v1-3');
    expect((await send({ url: at('page') }, stranger)).status).toBe(401);
    expect(publisher.requests(`${root}/page`)).toEqual([]);
  });
});

describe('an external app', () => {
  let clipper: ExternalApp;
  beforeAll(async () => {
    clipper = await startExternalApp(app, { appId: 'clipper' });
    await knowApp(app, clipper);
  });
  afterAll(() => clipper.close());

  it('keeps pages in its own feed for users who allow it', async () => {
    publish('page', aPage('x'));
    const { userId } = user.credentials;
    const sendIt = () =>
      clipper.as(userId).call('POST', `${NEWS}/items`, { json: { url: at('page') } });
    expect((await sendIt()).status).toBe(403);
    await app.inside(ConsentsService).decide('clipper', userId, 'granted');

    expect(await ok<Kept>(sendIt())).toMatchObject({ kept: { outcome: 'saved' } });

    expect((await news.feedList()).feeds.map(({ title }) => title)).toEqual(['App clipper']);
    expect((await keep('page')).kept.outcome).toBe('starred');
  });
});

describe('a shortcut of a phone', () => {
  it('keeps a page by a form with an app password for the feed reader, but not with one that reads only', async () => {
    publish('page', aPage('x'));
    const { userId } = user.credentials;
    const sendForm = async (scope: AppPasswordScope) => {
      const passwords = app.inside(AppPasswordsService);
      const { token } = await passwords.add(userId, 'Shortcut', { scope });
      return new ApiClient(app.url, { userId, password: token }).call('POST', `${NEWS}/items`, {
        body: `url=${encodeURIComponent(at('page'))}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    };

    expect((await sendForm('reader-read')).status).toBe(403);
    expect(await ok<Kept>(sendForm('reader'))).toMatchObject({ kept: { outcome: 'saved' } });
  });
});

describe('a user', () => {
  it('has a number of pages in an hour that are read', async () => {
    publish('page', aPage('x'));
    for (let reading = 0; reading < 6; reading += 1) {
      await keep('page');
    }

    const refused = await send({ url: at('page') });

    expect([refused.status, refused.json]).toEqual([
      429,
      { message: expect.stringContaining('You had 6 full texts fetched within an hour') },
    ]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3000);
    expect(
      (await send({ url: at('page') }, new NewsClient(await app.signIn(), 'v1-3'))).status,
    ).toBe(200);
  });

  it('has a number of pages in all, and renews those that there are', async () => {
    publish('page', aPage('x'));
    await keep('page');
    await ok(send({ items: [1, 2, 3].map((n) => ({ url: at(`${n}`), title: `${n}` })) }));

    const refused = await send({ url: at('more') });

    expect([refused.status, refused.json]).toEqual([
      422,
      { message: 'This installation allows at most 4 saved pages per user. Remove some first.' },
    ]);
    expect(publisher.requests(`${root}/more`)).toEqual([]);
    expect((await keep('page')).kept.outcome).toBe('renewed');
  });
});
