import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { ApiClient } from '../../support/api-client.js';
import { rss, startFeedServer, type FeedServer } from '../../support/feed-server.js';
import {
  formOf,
  GoogleReaderClient,
  LABEL,
  READING_LIST,
  STATE,
  type FieldList,
} from '../../support/google-reader-client.js';
import { NewsClient } from '../../support/news-client.js';
import { serviceAndPublisher } from '../../support/service-and-publisher.js';
import { startApp } from '../../support/start-app.js';

interface SubscriptionJson {
  readonly id: string;
  readonly title: string;
  readonly categories: readonly { readonly id: string; readonly label: string }[];
  readonly url: string;
  readonly htmlUrl: string;
  readonly iconUrl: string;
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const { app, publisher } = await serviceAndPublisher();
const address = (name: string) => publisher.url(`/${name}.xml`);
beforeAll(() => {
  for (const name of ['tide', 'wind', 'waves']) {
    const items = [{ title: `${name}1`, guid: name, link: publisher.url(`/${name}`) }];
    publisher.publish(`/${name}.xml`, rss({ title: name, link: publisher.url('/'), items }));
  }
});

let reader: GoogleReaderClient;
let news: NewsClient;
beforeEach(async () => {
  const user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  reader = await GoogleReaderClient.of(user);
});

const list = async (of = reader) => {
  const { json } = await of.get('subscription/list', [['output', 'json']]);
  return (json as { subscriptions: SubscriptionJson[] }).subscriptions;
};
/** Titles with folders. */
const filed = async () =>
  (await list()).map(({ title, categories }) => [title, ...categories.map(({ label }) => label)]);
const edit = async (fields: FieldList) => reader.post('subscription/edit', fields);
const done = async (fields: FieldList) => {
  const answer = await edit(fields);
  expect([answer.status, answer.text]).toEqual([200, 'OK']);
};
const subscribe = async (name: string, folder?: string) => {
  const folderId = folder === undefined ? null : (await news.createFolder(folder)).id;
  return `feed/${(await news.subscribe(address(name), folderId)).id}`;
};

describe('subscription/list', () => {
  it('has all fields as texts, and folders by name', async () => {
    const tide = await subscribe('tide', 'Wind & Weather/UK 🌊');
    const wind = await subscribe('wind');

    const label = 'Wind & Weather/UK 🌊';
    expect(await list()).toEqual([
      {
        id: tide,
        title: 'tide',
        categories: [{ id: LABEL + label, label }],
        url: address('tide'),
        htmlUrl: publisher.url('/'),
        iconUrl: '',
      },
      {
        id: wind,
        title: 'wind',
        categories: [],
        url: address('wind'),
        htmlUrl: publisher.url('/'),
        iconUrl: '',
      },
    ]);
  });

  it('has no empty title and no null, over which clients give up', async () => {
    publisher.publish('/bare.xml', rss({ title: '', items: [] }));
    await subscribe('bare');

    const [bare] = await list();
    expect(bare?.title).toBe('127.0.0.1');
    expect(Object.values(bare ?? {})).not.toContain(null);
  });

  it('is not sent again to a client that has it', async () => {
    await subscribe('tide');
    const { headers } = await reader.get('subscription/list');
    const again = { headers: { 'if-none-match': headers['etag'] ?? '' } };

    const same = await reader.call('GET', 'subscription/list', again);
    expect([same.status, same.text]).toEqual([304, '']);

    await subscribe('wind');
    expect((await reader.call('GET', 'subscription/list', again)).status).toBe(200);
  });

  it('shows nothing of another user', async () => {
    await subscribe('tide');

    expect(await list(await GoogleReaderClient.of(await app.signIn()))).toEqual([]);
  });
});

describe('subscription/quickadd', () => {
  const add = async (given: string) => reader.post('subscription/quickadd', [['quickadd', given]]);

  it('answers the stream and its name, and the list has it at once, as NetNewsWire expects', async () => {
    const { json } = await add(address('tide'));

    const [tide] = await list();
    expect(json).toEqual({
      numResults: 1,
      query: address('tide'),
      streamId: tide?.id,
      streamName: 'tide',
    });
  });

  it('takes the address with feed/ before it, in the query, and by GET', async () => {
    const prefixed = await add(`feed/${address('tide')}`);
    const query = formOf([['quickadd', address('wind')]]);
    const inQuery = await reader.call('POST', `subscription/quickadd?${query}`);
    const byGet = await reader.get('subscription/quickadd', [['quickadd', address('waves')]]);

    for (const { json } of [prefixed, inQuery, byGet]) {
      expect(json).toMatchObject({ numResults: 1 });
    }
  });

  it('finds the feed of a web page', async () => {
    const html = '<link rel="alternate" type="application/rss+xml" href="/tide.xml">';
    publisher.publish('/page', html, { contentType: 'text/html' });

    expect((await add(publisher.url('/page'))).json).toMatchObject({ streamName: 'tide' });
  });

  it('answers "Already subscribed!" with the address of the feed, by which Capy Reader finds it', async () => {
    await add(address('tide'));
    const html = '<link rel="alternate" type="application/rss+xml" href="/tide.xml">';
    publisher.publish('/page', html, { contentType: 'text/html' });

    for (const given of [address('tide'), publisher.url('/page')]) {
      expect((await add(given)).json).toEqual({
        numResults: 0,
        query: given,
        error: `Already subscribed! ${address('tide')}`,
      });
    }
  });

  it('answers what is no feed with 200, numResults 0 and a sentence', async () => {
    publisher.publish('/nothing', 'just text', { contentType: 'text/plain' });
    for (const given of [publisher.url('/nothing'), publisher.url('/gone.xml'), 'nonsense']) {
      const answer = await add(given);

      expect(answer.status).toBe(200);
      expect(answer.json).toEqual({
        numResults: 0,
        query: given,
        error: expect.stringMatching(/\.$/),
      });
    }
  });

  it('needs an address', async () => {
    expect((await reader.post('subscription/quickadd')).status).toBe(400);
  });
});

describe('subscription/edit', () => {
  it('subscribes to feed/<address>, with a title, and creates the folder', async () => {
    await done([
      ['ac', 'subscribe'],
      ['s', `feed/${address('tide')}`],
      ['t', 'My tides'],
      ['a', `${LABEL}Sea`],
    ]);
    await done([
      ['ac', 'subscribe'],
      ['s', `feed/feed/${address('wind')}`],
      ['a', `${LABEL}Sea`],
    ]);

    expect(await filed()).toEqual([
      ['My tides', 'Sea'],
      ['wind', 'Sea'],
    ]);
  });

  it('takes several s with t in step', async () => {
    await done([
      ['ac', 'subscribe'],
      ['s', `feed/${address('tide')}`],
      ['t', 'T'],
      ['s', `feed/${address('wind')}`],
      ['t', ''],
      ['s', `feed/${address('waves')}`],
      ['t', 'W'],
    ]);

    expect(await filed()).toEqual([['T'], ['W'], ['wind']]);
  });

  it('takes several s into one new folder, in the first request of a user', async () => {
    await done([
      ['ac', 'subscribe'],
      ['s', `feed/${address('tide')}`],
      ['s', `feed/${address('wind')}`],
      ['a', `${LABEL}Sea`],
    ]);

    expect(await filed()).toEqual([
      ['tide', 'Sea'],
      ['wind', 'Sea'],
    ]);
  });

  it('answers a second subscription and what is no feed with 400 and a sentence', async () => {
    await done([
      ['ac', 'subscribe'],
      ['s', `feed/${address('tide')}`],
    ]);

    const again = await edit([
      ['ac', 'subscribe'],
      ['s', `feed/${address('tide')}`],
    ]);
    const gone = await edit([
      ['ac', 'subscribe'],
      ['s', `feed/${publisher.url('/gone.xml')}`],
    ]);

    expect([again.status, again.text]).toEqual([400, 'You follow this feed already: "tide".']);
    expect(gone.status).toBe(400);
    expect(gone.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(gone.text).toMatch(/404/);
  });

  it('leaves nothing half done when one of several cannot be subscribed to', async () => {
    const answer = await edit([
      ['ac', 'subscribe'],
      ['s', `feed/${address('tide')}`],
      ['s', `feed/${publisher.url('/gone.xml')}`],
      ['a', `${LABEL}Sea`],
    ]);

    expect(answer.status).toBe(400);
    expect(await list()).toEqual([]);
    expect(await news.folders()).toEqual([]);
  });

  it('renames by t, and keeps the title without it', async () => {
    const tide = await subscribe('tide');

    await done([
      ['ac', 'edit'],
      ['s', tide],
      ['t', 'Ebbe & Flut ⟨Ö⟩'],
    ]);
    await done([
      ['ac', 'edit'],
      ['s', tide],
      ['t', ''],
    ]);

    expect(await filed()).toEqual([['Ebbe & Flut ⟨Ö⟩']]);
  });

  it('moves by a to a folder, which is created; a and r in one request move as well', async () => {
    const tide = await subscribe('tide');

    await done([
      ['ac', 'edit'],
      ['s', tide],
      ['a', `${LABEL}Sea`],
    ]);
    expect(await filed()).toEqual([['tide', 'Sea']]);

    await done([
      ['ac', 'edit'],
      ['s', tide],
      ['a', `${LABEL}Air`],
      ['r', `${LABEL}Sea`],
    ]);
    expect(await filed()).toEqual([['tide', 'Air']]);
  });

  it('moves by r alone to the root, if the feed is in that folder', async () => {
    const tide = await subscribe('tide', 'Sea');

    await done([
      ['ac', 'edit'],
      ['s', tide],
      ['r', `${LABEL}Air`],
    ]);
    expect(await filed()).toEqual([['tide', 'Sea']]);

    await done([
      ['ac', 'edit'],
      ['s', tide],
      ['r', `${LABEL}Sea`],
    ]);
    expect(await filed()).toEqual([['tide']]);
  });

  it('ignores i=null of Liferea, and labels that are none', async () => {
    const tide = await subscribe('tide', 'Sea');

    await done([
      ['ac', 'edit'],
      ['s', tide],
      ['i', 'null'],
      ['a', ''],
      ['a', `${STATE}starred`],
    ]);

    expect(await filed()).toEqual([['tide', 'Sea']]);
  });

  it('takes everything in the query, and T in a body without a type, as RSS Guard sends them', async () => {
    const tide = await subscribe('tide');
    const query = formOf([
      ['ac', 'edit'],
      ['s', tide],
      ['t', 'New'],
      ['a', `${LABEL}Sea`],
    ]);

    const answer = await reader.call('POST', `subscription/edit?${query}`, { body: 'T=abc' });

    expect(answer.text).toBe('OK');
    expect(await filed()).toEqual([['New', 'Sea']]);
  });

  it('unsubscribes and edits by the address too, as Readrops does', async () => {
    await subscribe('tide');
    await subscribe('wind');

    await done([
      ['ac', 'edit'],
      ['s', `feed/${address('tide')}`],
      ['t', 'T'],
    ]);
    await done([
      ['ac', 'unsubscribe'],
      ['s', `feed/${address('wind')}`],
    ]);

    expect(await filed()).toEqual([['T']]);
    expect(await reader.titles(READING_LIST)).toEqual(['tide1']);
  });

  it('changes nothing when one of several is not there, and says which', async () => {
    const tide = await subscribe('tide');

    const answer = await edit([
      ['ac', 'unsubscribe'],
      ['s', tide],
      ['s', 'feed/999999'],
    ]);

    expect([answer.status, answer.text]).toEqual([400, 'There is nothing at "feed/999999".']);
    expect(await filed()).toEqual([['tide']]);
  });

  it('changes nothing when one of several titles is too long', async () => {
    const [tide, wind] = [await subscribe('tide'), await subscribe('wind')];

    const answer = await edit([
      ['ac', 'edit'],
      ['s', tide],
      ['t', 'New'],
      ['s', wind],
      ['t', 'x'.repeat(1001)],
      ['a', `${LABEL}Sea`],
    ]);

    expect(answer.status).toBe(400);
    expect(await filed()).toEqual([['tide'], ['wind']]);
    expect(await news.folders()).toEqual([]);
  });

  it('says why in the language of the client', async () => {
    const answer = await reader.call('POST', 'subscription/edit', {
      body: formOf([
        ['ac', 'subscribe'],
        ['s', 'feed/nonsense'],
      ]),
      headers: { 'accept-language': 'de' },
    });

    expect([answer.status, answer.text]).toEqual([
      400,
      'Das ist keine Adresse: Gib die eines Feeds oder einer Website ein, etwa example.org, mit oder ohne https://.',
    ]);
  });

  it('refuses an unknown action, and one without a feed', async () => {
    const tide = await subscribe('tide');
    const answers = [
      await edit([
        ['ac', 'explode'],
        ['s', tide],
      ]),
      await edit([['s', tide]]),
      await edit([['ac', 'edit']]),
    ];

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
  });

  it('changes no feed of another user', async () => {
    const tide = await subscribe('tide');
    const other = await GoogleReaderClient.of(await app.signIn());
    for (const s of [tide, `feed/${address('tide')}`]) {
      for (const ac of ['edit', 'unsubscribe']) {
        const fields: FieldList = [
          ['ac', ac],
          ['s', s],
          ['t', 'x'],
          ['a', `${LABEL}x`],
        ];

        expect((await other.post('subscription/edit', fields)).status).toBe(400);
      }
    }

    expect(await filed()).toEqual([['tide']]);
  });
});

describe('subscribed', () => {
  it('answers true or false', async () => {
    const tide = await subscribe('tide');
    const is = async (s: string, of = reader) => (await of.get('subscribed', [['s', s]])).text;

    expect(await is(tide)).toBe('true');
    expect(await is(`feed/${address('tide')}`)).toBe('true');
    expect(await is(`feed/${address('wind')}`)).toBe('false');
    expect(await is('feed/999999')).toBe('false');
    expect(await is(tide, await GoogleReaderClient.of(await app.signIn()))).toBe('false');
  });
});

describe('OPML', () => {
  it('is exported', async () => {
    await subscribe('tide', 'Sea');
    const answer = await reader.get('subscription/export');

    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/xml|opml/);
    expect(answer.text).toMatch(/<outline text="Sea".*<outline text="tide"[^>]*xmlUrl="/s);
  });

  it.each([['text/xml'], ['application/x-www-form-urlencoded'], [undefined]])(
    'is imported as the body with the type %s',
    async (type) => {
      const body = `<opml version="2.0"><body><outline text="Sea"><outline type="rss" text="Tide"
        xmlUrl="${address('tide')}"/></outline></body></opml>`;
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };

      const answer = await reader.call('POST', 'subscription/import', { body, headers });

      expect([answer.status, answer.text]).toEqual([200, 'OK']);
      expect((await list()).map(({ url }) => url)).toEqual([address('tide')]);
    },
  );

  it('that is none is refused with a sentence', async () => {
    const answer = await reader.call('POST', 'subscription/import', { body: '<html></html>' });

    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(/\.$/);
  });
});

describe('icons', () => {
  // All feeds of a website share its icon.
  let website: FeedServer;
  beforeAll(async () => {
    website = await startFeedServer();
  });
  afterAll(() => website.close());

  const withIcon = async () => {
    website.publish('/icon.xml', rss({ title: 'Icon', link: website.url('/site'), items: [] }));
    website.publish('/site', '<head><link rel="icon" href="/icon.png"></head>', {
      contentType: 'text/html',
    });
    website.publish('/icon.png', PNG, { contentType: 'image/png' });
    const { url } = await news.subscribe(website.url('/icon.xml'));
    // Waits for the search.
    await news.get(`/favicon/${createHash('md5').update(url).digest('hex')}`);
    const [feed] = await list();
    return feed?.iconUrl ?? '';
  };

  it('have absolute addresses that are readable without credentials, also from other origins', async () => {
    const iconUrl = await withIcon();
    expect(iconUrl.startsWith(`${app.url}/reader/icons/`)).toBe(true);

    const answer = await app.asStranger().get(iconUrl.slice(app.url.length));

    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('image/png');
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(answer.headers['content-security-policy']).toBe("sandbox; default-src 'none'");
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['content-disposition']).toMatch(/^attachment/);
    expect(answer.headers['cross-origin-resource-policy']).toBe('cross-origin');
  });

  it('are signed, so that strangers cannot count them', async () => {
    const [, , , id = '', signature = ''] = new URL(await withIcon()).pathname.split('/');
    const stranger = app.asStranger();
    const statuses = [];
    for (const [icon, sign] of [
      [String(Number(id) + 1), signature],
      [id, signature.slice(1)],
      [id, 'x'],
      [`0${id}`, signature.toUpperCase()],
      ['x', signature],
    ]) {
      statuses.push((await stranger.get(`/reader/icons/${icon}/${sign}`)).status);
    }

    expect(statuses).toEqual([404, 404, 404, 404, 404]);
  });

  it('have the address that the client has called where none is configured', async () => {
    await withIcon();
    const authorization = `GoogleLogin auth=${reader.token}`;
    const called = app.url.replace('127.0.0.1', 'localhost');
    const answer = await new ApiClient(called).get('/reader/api/0/subscription/list', {
      headers: { authorization },
    });

    const [subscription] = (answer.json as { subscriptions: SubscriptionJson[] }).subscriptions;
    expect(subscription?.iconUrl.startsWith(`${called}/reader/icons/`)).toBe(true);
  });

  it('have the public address of the service', async () => {
    const service = await startApp({ GATEFOLD_BASE_URL: 'https://cloud.example/next' });
    try {
      const user = await service.signIn();
      news = new NewsClient(user, 'v1-3');
      reader = await GoogleReaderClient.of(user);
      const iconUrl = await withIcon();

      expect(iconUrl).toMatch(/^https:\/\/cloud\.example\/next\/reader\/icons\/\d+\/[\w-]{24}$/);
      const path = new URL(iconUrl).pathname;
      expect((await new ApiClient(service.url).get(path)).status).toBe(200);
    } finally {
      await service.stop();
    }
  });
});
