import { beforeAll, describe, expect, it } from '@jest/globals';
import { rss } from '../../support/feed-server.js';
import {
  decimalId,
  formOf,
  GoogleReaderClient,
  LABEL,
  READING_LIST,
  type FieldList,
} from '../../support/google-reader-client.js';
import { NewsClient } from '../../support/news-client.js';
import { routesOf } from '../../support/routes.js';
import { serviceAndPublisher } from '../../support/service-and-publisher.js';

/* Every route with the token of another user, who names everything that the first one has. */

const ROOT = '/reader/api/0/';

const { app, publisher } = await serviceAndPublisher();
let owner: GoogleReaderClient;
let news: NewsClient;
let stranger: GoogleReaderClient;
let feedId: number;
beforeAll(async () => {
  const items = ['Low tide', 'High tide'].map((title) => ({ title, guid: title, link: '' }));
  publisher.publish('/secret.xml', rss({ title: 'Secret tides', items }));
  const ada = await app.signIn();
  news = new NewsClient(ada, 'v1-3');
  const folder = await news.createFolder('Secret sea');
  feedId = (await news.subscribe(publisher.url('/secret.xml'), folder.id)).id;
  owner = await GoogleReaderClient.of(ada);
  await owner.post('edit-tag', [
    ['i', decimalId(1)],
    ['a', `${LABEL}Secret label`],
  ]);
  stranger = await GoogleReaderClient.of(await app.signIn());
});

const routes = () =>
  routesOf(app)
    .filter(({ guards, path }) => guards.includes('GoogleLoginGuard') && path.startsWith(ROOT))
    .map(({ method, path }) => ({ method, path: path.slice(ROOT.length) }));

const namings = (): readonly FieldList[] =>
  [
    `feed/${feedId}`,
    `feed/${publisher.url('/secret.xml')}`,
    `${LABEL}Secret sea`,
    `${LABEL}Secret label`,
    READING_LIST,
  ].flatMap((s) =>
    ['edit', 'unsubscribe'].map((ac): FieldList => [
      ['ac', ac],
      ['s', s],
      ['t', 'Stolen'],
      ['dest', 'Stolen'],
      ['i', decimalId(1)],
      ['i', decimalId(2)],
      ['a', 'user/-/state/com.google/read'],
      ['r', `${LABEL}Secret label`],
      ['n', '1000'],
    ]),
  );

const belongings = async () => [
  (await news.get('/folders')).text,
  (await news.feedList()).feeds.map(({ nextUpdateTime: _time, ...feed }) => feed),
  await news.items(),
  (await owner.get('tag/list')).text,
];

describe('The token of another user', () => {
  it('reads and changes nothing on any route', async () => {
    const before = await belongings();
    const seen: string[] = [];
    for (const { method, path } of routes()) {
      for (const fields of namings()) {
        const stream = encodeURIComponent(fields.find(([name]) => name === 's')?.[1] ?? '');
        const address = path.replace(/\*\w+/, stream);
        const answer = await (method === 'GET'
          ? stranger.get(address, fields)
          : stranger.post(address, fields));
        // Not the names of folders and labels, which answers repeat.
        if (/tide\b|Secret tides/i.test(answer.text)) {
          seen.push(`${method} ${path} ${formOf(fields)}: ${answer.text}`);
        }
        expect(answer.status).toBeLessThan(500);
      }
    }

    expect(routes().length).toBeGreaterThan(20);
    expect(seen).toEqual([]);
    expect(await belongings()).toEqual(before);
  });
});

describe('A path that cannot be decoded', () => {
  it('is no fault of the service', async () => {
    expect((await stranger.call('GET', 'stream/contents/feed%2F%E0%A4%A')).status).toBe(400);
  });
});
