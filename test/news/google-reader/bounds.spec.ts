import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DiskSpace } from '../../../src/common/disk/disk-space.js';
import { StorageFull } from '../../../src/common/errors/storage-full.js';
import { rss } from '../../support/feed-server.js';
import { decimalId, GoogleReaderClient, LABEL, STATE } from '../../support/google-reader-client.js';
import { NewsClient } from '../../support/news-client.js';
import { RawSender } from '../../support/raw-sender.js';
import { serviceAndPublisher } from '../../support/service-and-publisher.js';

const MIB = 1024 * 1024;

const { app, publisher } = await serviceAndPublisher();
let reader: GoogleReaderClient;
beforeAll(() => {
  const items = [{ title: 'one', guid: '1', link: publisher.url('/1') }];
  publisher.publish('/a.xml', rss({ title: 'A', items }));
});
beforeEach(async () => {
  const user = await app.signIn();
  await new NewsClient(user, 'v1-3').subscribe(publisher.url('/a.xml'));
  reader = await GoogleReaderClient.of(user);
});

const edit = '/reader/api/0/edit-tag';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('a form', () => {
  it('may come in small pieces', async () => {
    const body = [
      ...Array.from({ length: 10_000 }, (_none, n) => `i=${decimalId(10_000 - n)}`),
      `a=${encodeURIComponent(`${STATE}read`)}`,
    ].join('&');
    const sender = new RawSender(app.url).begin('POST', edit, body.length, {
      ...FORM,
      authorization: `GoogleLogin auth=${reader.token}`,
    });
    for (let at = 0; at < body.length; at += 997) {
      sender.send(body.slice(at, at + 997));
    }

    expect(await sender.status()).toBe(200);
    expect(await reader.ids(`${STATE}read`)).toEqual([decimalId(1)]);
    sender.close();
  });

  it('is not read before the log-in, however large it says it is', async () => {
    const sender = new RawSender(app.url).begin('POST', edit, 900 * MIB, FORM);

    expect(await sender.status()).toBe(401);
    sender.close();
  });

  it('of an anonymous sender is refused by its length alone', async () => {
    const login = '/accounts/ClientLogin';
    const sender = new RawSender(app.url).begin('POST', login, 17 * 1024, FORM);

    expect(await sender.status()).toBe(413);
    sender.close();
  });

  it('in multipart/form-data has at most 64 KiB', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const body = `--x\r\ncontent-disposition: form-data; name="i"\r\n\r\n${'0'.repeat(70_000)}\r\n--x--`;

    expect((await reader.call('POST', 'edit-tag', { body, headers })).status).toBe(413);
  });
});

describe('a list of ids', () => {
  it('is not longer than asked for, regardless of the number', async () => {
    for (const n of ['9'.repeat(15), '9'.repeat(40), '1e9', '-1']) {
      const { json } = await reader.get('stream/items/ids', [['n', n]]);

      expect(json).toEqual({ itemRefs: [{ id: decimalId(1) }] });
    }
  });

  it('leaves out up to 50 streams', async () => {
    const without = (count: number) =>
      Array.from({ length: count }, (_none, n) => ['xt', `${LABEL}${n}`] as const);

    const many = await reader.get('stream/items/ids', without(50));
    const tooMany = await reader.get('stream/items/ids', without(51));

    expect([many.status, many.json]).toEqual([200, { itemRefs: [{ id: decimalId(1) }] }]);
    expect([tooMany.status, tooMany.text]).toEqual([
      400,
      'The request has more than 50 fields "xt".',
    ]);
  });
});

describe('one edit', () => {
  const repeated = (name: string, count: number, value: (n: number) => string) =>
    Array.from({ length: count }, (_none, n) => [name, value(n)] as const);

  it('changes up to 1000 feeds, and subscribes to 20', async () => {
    const refused = [
      await reader.post('subscription/edit', [
        ['ac', 'edit'],
        ...repeated('s', 1001, (n) => `feed/${n}`),
      ]),
      await reader.post('subscription/edit', [
        ['ac', 'subscribe'],
        ...repeated('s', 21, (n) => `feed/${publisher.url(`/${n}.xml`)}`),
      ]),
    ];

    expect(refused.map(({ status, text }) => [status, text])).toEqual([
      [400, 'One request can edit at most 1000 feeds.'],
      [400, 'One request can subscribe at most 20 feeds.'],
    ]);
  });

  it('names up to 100 tags', async () => {
    const labels = (count: number) => repeated('a', count, (n) => `${LABEL}${n}`);
    const few = await reader.post('edit-tag', [['i', decimalId(1)], ...labels(100)]);
    const many = await reader.post('edit-tag', [['i', decimalId(1)], ...labels(101)]);
    const removed = await reader.post(
      'disable-tag',
      repeated('s', 101, (n) => `${LABEL}${n}`),
    );

    expect([few.status, many.status, removed.status]).toEqual([200, 400, 400]);
  });
});

describe('a disk that is nearly full', () => {
  it('refuses new feeds and imports with 507, and lets feeds be removed', async () => {
    const full = jest
      .spyOn(app.inside(DiskSpace), 'assertRoomFor')
      .mockRejectedValue(new StorageFull());
    try {
      const address = `feed/${publisher.url('/a.xml')}`;
      const refused = [
        await reader.post('subscription/quickadd', [['quickadd', address]]),
        await reader.post('subscription/edit', [
          ['ac', 'subscribe'],
          ['s', address],
        ]),
        await reader.post('subscription/import'),
      ];
      const removed = await reader.post('subscription/edit', [
        ['ac', 'unsubscribe'],
        ['s', address],
      ]);

      expect(refused.map(({ status }) => status)).toEqual([507, 507, 507]);
      expect(removed.status).toBe(200);
    } finally {
      full.mockRestore();
    }
  });
});

describe('words with a zero byte', () => {
  it.each(['stream/items/ids?s=user/-/label/%00', 'subscribed?s=feed/http://a.example/%00'])(
    'are no fault of the service: %s',
    async (path) => {
      expect((await reader.call('GET', path)).status).toBeLessThan(500);
    },
  );
});
