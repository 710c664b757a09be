import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../../support/api-client.js';
import { rss, startFeedServer, type FeedServer } from '../../support/feed-server.js';
import { GoogleReaderClient, longId } from '../../support/google-reader-client.js';
import { heldBytes } from '../../support/held-memory.js';
import { itLong } from '../../support/long.js';
import { NewsClient } from '../../support/news-client.js';
import { processorMs } from '../../support/processor-time.js';
import { RawSender } from '../../support/raw-sender.js';
import { startApp, type TestApp, type TestUser } from '../../support/start-app.js';
import { statementsDuring, statementsOfRequests } from '../../support/statements.js';

/** Clients that are broken, or mean it. Nothing of this ends the process or fills its memory. */

const MIB = 1024 * 1024;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const API = '/reader/api/0';
const READ = 'user/-/state/com.google/read';

let app: TestApp;
let publisher: FeedServer;
let user: TestUser;
let news: NewsClient;
let token: string;
let feedId: number;
beforeAll(async () => {
  app = await startApp({ GATEFOLD_USER_BODIES_MIB: '64', GATEFOLD_RATE_LIMITS: 'on' });
  publisher = await startFeedServer();
  publisher.publish(
    '/feed.xml',
    rss({ title: 'Feed', items: [1, 2, 3].map((n) => ({ title: `${n}`, guid: `urn:x:${n}` })) }),
  );
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  ({ id: feedId } = await news.subscribe(publisher.url('/feed.xml')));
  ({ token } = await GoogleReaderClient.of(user));
});
afterAll(() => Promise.all([app.stop(), publisher.close()]));

const senders: RawSender[] = [];
afterEach(async () => {
  senders.splice(0).forEach((one) => one.close());
  // The process is there, and what the user has is as before.
  const { status } = await get('/user-info');
  const { feeds } = await news.feedList();
  if (status !== 200 || feeds.length !== 1) {
    throw new Error(`The service answers ${status}, and has ${feeds.length} feeds`);
  }
});

const authorised = () => ({ authorization: `GoogleLogin auth=${token}` });
const stranger = () => app.asStranger();
const get = (path: string) => stranger().call('GET', API + path, { headers: authorised() });
const post = (path: string, body: string | Buffer, headers: Record<string, string> = FORM) =>
  stranger().call('POST', API + path, { body, headers: { ...authorised(), ...headers } });
const sender = () => {
  const one = new RawSender(app.url);
  senders.push(one);
  return one;
};

/** Refused with a status below 500, and a sentence. */
function expectRefused({ status, text }: Answer): void {
  expect([400, 401, 403, 413, 414, 415, 431, 507]).toContain(status);
  expect(text.length).toBeLessThan(2000);
}

describe('a body', () => {
  itLong('of more fields than an honest form has is refused with 413', async () => {
    const spentMs = await processorMs(async () => {
      expect((await post('/edit-tag', `a=${READ}${'&i=1'.repeat(2_000_000)}`)).status).toBe(413);
    });

    expect(spentMs).toBeLessThan(3000);
  });

  itLong('of fields that are only separators costs little', async () => {
    const spentMs = await processorMs(async () => {
      expectRefused(await post('/edit-tag', '&'.repeat(9 * MIB)));
      expectRefused(await post('/stream/items/contents', '=&'.repeat(4 * MIB)));
    });

    expect(spentMs).toBeLessThan(3000);
  });

  it('of a gigabyte is refused before it is sent, without a token as well', async () => {
    const huge = 1024 * MIB;
    const known = sender().begin('POST', `${API}/edit-tag`, huge, { ...FORM, ...authorised() });
    const unknown = sender().begin('POST', `${API}/edit-tag`, huge, FORM);
    const login = sender().begin('POST', '/accounts/ClientLogin', huge, FORM);

    expect(await Promise.all([known, unknown, login].map((one) => one.status()))).toEqual([
      413, 401, 413,
    ]);
  });

  itLong('that never ends holds up nobody, and little memory', async () => {
    const before = heldBytes();
    const part = `a=${READ}${`&i=${longId(1)}`.repeat(2000)}`;
    for (let n = 0; n < 10; n += 1) {
      sender()
        .begin('POST', `${API}/edit-tag`, 9 * MIB, { ...FORM, ...authorised() })
        .send(part);
      sender().begin('POST', '/accounts/ClientLogin', 10_000, FORM).send('Email=ada&Pass');
    }

    expect((await get('/tag/list')).status).toBe(200);
    expect(heldBytes() - before).toBeLessThan(8 * MIB);
  });

  it('in multipart with many parts is refused', async () => {
    const boundary = 'x';
    const part = `--${boundary}\r\nContent-Disposition: form-data; name="i"\r\n\r\n1\r\n`;
    const type = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const body = `${part.repeat(2000)}--${boundary}--\r\n`;

    expect((await post('/edit-tag', body, type)).status).toBe(413);
    const login = await stranger().call('POST', '/accounts/ClientLogin', { body, headers: type });
    expect(login.status).toBe(413);
  });

  it.each([
    ['without its boundary', 'multipart/form-data'],
    ['with another boundary', 'multipart/form-data; boundary=other'],
    ['cut off', 'multipart/form-data; boundary=x'],
  ])('in multipart %s is refused', async (_what, type) => {
    const body = '--x\r\nContent-Disposition: form-data; name="Email"\r\n\r\nada';
    const headers = { 'content-type': type };

    expectRefused(await stranger().call('POST', '/accounts/ClientLogin', { body, headers }));
    expectRefused(await post('/edit-tag', body, headers));
  });

  it('that is compressed is refused', async () => {
    expectRefused(await post('/edit-tag', 'i=1', { ...FORM, 'content-encoding': 'gzip' }));
  });
});

describe('a credential', () => {
  it('that is a wrong token costs one statement, hundreds of times', async () => {
    const wrong = (n: number) =>
      stranger().call('GET', `${API}/tag/list`, {
        headers: { authorization: `GoogleLogin auth=gf-${String(n).padStart(43, 'x')}` },
      });
    const statements = await statementsDuring(app.database, async () => {
      for (let hundred = 0; hundred < 1; hundred += 1) {
        const answers = await Promise.all(
          Array.from({ length: 100 }, (_none, n) => wrong(hundred * 100 + n)),
        );
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
      }
    });

    // The work in the background has a few.
    expect(statements.length).toBeLessThan(150);
  });

  it('of another form costs none', async () => {
    const statements = await statementsOfRequests(app.database, async () => {
      for (const auth of ['', 'x'.repeat(10_000), '=', '"', 'a b', "' or 1=1 --", '%00']) {
        const headers = { authorization: `GoogleLogin auth=${auth}` };
        expectRefused(await stranger().call('GET', `${API}/tag/list`, { headers }));
      }
    });

    expect(statements).toEqual([]);
  });

  it('in bytes that are no UTF-8 is refused', async () => {
    const bytes = Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80]);
    const head = (name: string, value: Buffer) =>
      Buffer.concat([
        Buffer.from(`GET ${API}/tag/list HTTP/1.1\r\nHost: x\r\n${name}: `),
        value,
        Buffer.from('\r\nConnection: close\r\n\r\n'),
      ]);
    const auth = Buffer.concat([Buffer.from('GoogleLogin auth='), bytes]);

    expect(await sender().send(head('Authorization', auth)).status()).toBe(401);
    expect(await sender().send(head('User-Agent', bytes)).status()).toBe(401);
  });

  it('that is a wrong password is throttled after a few attempts', async () => {
    const { userId } = (await app.signIn()).credentials;
    const statuses: number[] = [];
    for (let n = 0; n < 60 && !statuses.includes(429); n += 1) {
      const body = `Email=${userId}&Passwd=wrong-${n}`;
      const answer = await stranger().call('POST', '/accounts/ClientLogin', {
        body,
        headers: FORM,
      });
      statuses.push(answer.status);
    }

    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    await app.database.query('truncate login_throttle');
  });

  it('with characters that no name has is a wrong one', async () => {
    for (const name of ['%00', '%ff%fe', '%ed%a0%80', 'x'.repeat(10_000), '', "'"]) {
      const body = `Email=${name}&Passwd=${name}`;
      expectRefused(
        await stranger().call('POST', '/accounts/ClientLogin', { body, headers: FORM }),
      );
    }
    await app.database.query('truncate login_throttle');
  });
});

describe('a parameter', () => {
  const digits = '9'.repeat(4000);

  it('of lists is answered or refused', async () => {
    const queries = [
      'n=1000000000',
      `n=${digits}`,
      'n=-5',
      'n=0',
      'n=1e9',
      `c=${'c'.repeat(10_000)}`,
      `c=${digits}`,
      'c=0',
      'c=-1',
      'c=%00',
      `ot=${digits}`,
      `ot=-${digits}`,
      'ot=99999999999999999999',
      'ot=9007199254740993',
      'nt=9223372036854775808',
      'nt=NaN',
      'r=%00',
      's=%00',
      's=feed/%00',
      `s=feed/${digits}`,
      's=feed/-1',
      's=feed/https://%00/',
      's=user/-/label/%00',
      's=user/-/label/%ff',
      `s=user/-/label/${'x'.repeat(10_000)}`,
      'xt=user/-/label/%00&it=feed/%00',
      's=__proto__',
      's=constructor',
      'output=atom',
    ];
    for (const query of queries) {
      for (const path of ['/stream/items/ids', '/stream/contents', '/stream/items/count']) {
        const { status, text } = await get(`${path}?${query}`);
        expect([query, [200, 400, 431].includes(status) || status]).toEqual([query, true]);
        expect(text.length).toBeLessThan(30_000);
      }
    }
  });

  it('that is the stream of a path is answered or refused', async () => {
    const streams = [
      '%00',
      '%ff',
      'feed%2F%00',
      'feed/%ff',
      'user/-/label/%00',
      '..%2f..%2fetc%2fpasswd',
      'splice/feed/1|feed/2',
      '%',
    ];
    for (const stream of streams) {
      const { status } = await get(`/stream/contents/${stream}`);
      expect([stream, [200, 400, 404].includes(status) || status]).toEqual([stream, true]);
    }
  });

  it('that is an id of no item is ignored', async () => {
    const ids = [
      '0',
      '-1',
      '9'.repeat(30),
      '1000000000000000',
      '9223372036854775807',
      '-9223372036854775808',
      'f'.repeat(16),
      'tag:google.com,2005:reader/item/ffffffffffffffff',
      'tag:google.com,2005:reader/item/',
      '%00',
      '%ff',
      "'",
      'null',
    ];
    const body = ids.map((id) => `i=${id}`).join('&');

    expect((await post('/edit-tag', `${body}&a=${READ}`)).text).toBe('OK');
    expect((await post('/stream/items/contents', body)).json).toMatchObject({ items: [] });
    expect((await news.items()).map(({ unread }) => unread)).toEqual([true, true, true]);
  });

  it('that is repeated many times costs a bounded number of statements', async () => {
    const many = Array.from({ length: 350 }, (_none, n) => `xt=user/-/label/${n}`).join('&');
    const statements = await statementsDuring(app.database, async () => {
      expect([200, 400]).toContain((await get(`/stream/items/ids?${many}`)).status);
    });

    expect(statements.length).toBeLessThan(100);
  });
});

describe('a name', () => {
  const long = 'x'.repeat(MIB);

  it.each([
    ['/edit-tag', `a=user/-/label/${long}`],
    ['/edit-tag', `i=${longId(1)}&a=user/-/label/${long}`],
    ['/edit-tag', `i=${longId(1)}&a=user/-/label/a%00b`],
    ['/edit-tag', 'a=user/-/label/a%00b'],
    ['/rename-tag', `s=user/-/label/${long}&dest=user/-/label/${long}`],
    ['/rename-tag', 's=user/-/label/%00&dest=user/-/label/%00'],
    ['/disable-tag', `s=user/-/label/${long}`],
    ['/disable-tag', 's=user/-/label/%00'],
    ['/subscription/edit', `ac=edit&s=feed/1&a=user/-/label/${long}`],
    ['/subscription/edit', 'ac=edit&s=feed/%00&t=x'],
    ['/subscription/edit', `ac=unsubscribe&s=feed/${long}`],
    ['/subscription/edit', `ac=subscribe&s=feed/${long}`],
    ['/subscription/edit', 'ac=subscribe&s=feed/http://a.example/%00'],
  ])(
    'that is too long or has no place in a text is refused: POST %s, form %#',
    async (path, form) => {
      expectRefused(await post(path, form));
    },
  );

  it('of a feed that is too long or has no place in a text is refused or shortened', async () => {
    for (const title of [long, 'a%00b']) {
      const answer = await post('/subscription/edit', `ac=edit&s=feed/${feedId}&t=${title}`);
      expect([200, 400]).toContain(answer.status);
    }
  });

  it('that is an address of no feed is told in a sentence', async () => {
    for (const address of [long, '%00', 'javascript:alert(1)', 'http://', 'feed/', '%ff']) {
      const answer = await post('/subscription/quickadd', `quickadd=${address}`);
      expect([200, 400]).toContain(answer.status);
      expect(answer.text).not.toContain('"numResults":1');
      expect(answer.text.length).toBeLessThan(3 * MIB);
    }
  });
});

describe('one request', () => {
  it('does not make the service fetch from hundreds of publishers', async () => {
    publisher.publish('/none.xml', 'no feed', { contentType: 'text/plain' });
    const feeds = Array.from(
      { length: 500 },
      (_none, n) => `&s=feed/${encodeURIComponent(publisher.url(`/none.xml?${n}`))}`,
    ).join('');
    const answer = await post('/subscription/edit', `ac=subscribe${feeds}`);

    expectRefused(answer);
    expect(publisher.requests('/none.xml').length).toBeLessThanOrEqual(1);
  });

  it.each([
    ['feeds', '/subscription/edit', 'ac=edit&t=x', (n: number) => `&s=feed/feed/${n}`],
    ['folders', '/disable-tag', 'x=', (n: number) => `&s=user/-/label/${n}`],
    ['new folders', '/edit-tag', 'x=', (n: number) => `&a=user/-/label/${n}`],
    ['labels', '/edit-tag', `i=${longId(1)}`, (n: number) => `&a=user/-/label/${n}`],
    ['items', '/edit-tag', `a=${READ}x`, (n: number) => `&i=${longId(n + 10)}`],
  ])(
    'with thousands of %s costs a bounded number of statements',
    async (_what, path, start, each) => {
      const form = start + Array.from({ length: 2000 }, (_none, n) => each(n)).join('');
      const statements = await statementsDuring(app.database, async () => {
        const { status } = await post(path, form);
        expect([200, 400, 413]).toContain(status);
      });

      expect(statements.length).toBeLessThan(100);
      expect(await news.folders()).toEqual([]);
    },
  );

  itLong('for everything again and again holds little memory', async () => {
    const before = heldBytes();
    await Promise.all(
      Array.from({ length: 60 }, () => get('/stream/contents?n=1000000000&ot=0&c=x')),
    );

    expect(heldBytes() - before).toBeLessThan(20 * MIB);
  });
});
