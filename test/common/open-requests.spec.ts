import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ExAppRoutesRepository } from '../../src/app-api/apps/routes/ex-app-routes.repository.js';
import { Shares } from '../../src/common/http/shares.js';
import { basic } from '../support/api-client.js';
import { knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { RawSender } from '../support/raw-sender.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { until } from '../support/until.js';

/* Shares of the requests that are under way; see docs/operations/limits.md. */

const POLL = '/login/v2/poll';
const SELF = '/ocs/v2.php/cloud/user?format=json';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let app: TestApp;
let board: ExternalApp;
beforeAll(async () => {
  app = await startApp({
    // Lets tests set the client address.
    GATEFOLD_TRUSTED_PROXIES: '127.0.0.0/8',
    GATEFOLD_LIMITS:
      'requests-per-user=4 requests-per-network=5 anonymous-requests-per-process=8 guest-requests-per-app=3',
  });
  board = await startExternalApp(app, { appId: 'board' });
  await knowApp(app, board);
  await app
    .inside(ExAppRoutesRepository)
    .replace('board', [
      { url: '.*', verb: 'GET', accessLevel: 0, headersToExclude: [], bruteforceStatuses: [] },
    ]);
});
afterAll(async () => {
  await board.close();
  await app.stop();
});

const senders: RawSender[] = [];
afterEach(async () => {
  for (const sender of senders.splice(0)) {
    sender.close();
  }
  await until('no requests', () => open() === 0);
});

const open = () =>
  app.inside(Shares).count('requests of strangers') + app.inside(Shares).count('requests');

/** A request whose body does not end. */
function unfinished(from: string, headers: Record<string, string> = {}, path = POLL): RawSender {
  const sender = new RawSender(app.url);
  senders.push(sender);
  return sender
    .begin('POST', path, 60_000, { ...FORM, 'x-forwarded-for': from, ...headers })
    .send('t');
}

/** Requests of a network of the test, of which each is from another address. */
async function unfinishedRequests(count: number, from: (n: number) => string): Promise<void> {
  const before = open();
  for (let n = 0; n < count; n += 1) {
    unfinished(from(n));
  }
  await until('requests', () => open() === before + count);
}

const asked = (path: string, from: string, user?: TestUser) =>
  (user ?? app.asStranger()).get(path, { headers: { 'x-forwarded-for': from } });

describe('requests of a network of strangers', () => {
  it('are limited in an IPv4 /24; the next is told when to try again, other networks are not affected', async () => {
    await unfinishedRequests(5, (n) => `192.0.2.${n}`);

    const refused = await asked('/', '192.0.2.77');

    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
    expect(refused.text).toContain('Your network already has 5 requests of strangers in progress');
    expect((await asked('/login', '198.51.100.1')).status).toBe(200);
    expect((await asked('/health/ready', '192.0.2.77')).status).toBe(200);
  });

  it('are limited in an IPv6 /64', async () => {
    await unfinishedRequests(5, (n) => `2001:db8::${n}`);

    expect((await asked('/login', '2001:db8::77')).status).toBe(429);
    expect((await asked('/login', '2001:db8:0:1::77')).status).toBe(200);
  });

  it('shut nobody out who was here before, whichever credentials it was', async () => {
    const user = await app.signIn();
    expect((await asked(SELF, '192.0.2.1', user)).status).toBe(200);
    await unfinishedRequests(5, (n) => `192.0.2.${n}`);

    expect((await asked(SELF, '192.0.2.1', user)).status).toBe(200);
    expect((await asked(SELF, '192.0.2.1', await app.signIn())).status).toBe(429);
  });

  it('are limited of all networks together', async () => {
    const user = await app.signIn();
    expect((await asked(SELF, '192.0.2.1', user)).status).toBe(200);
    await unfinishedRequests(8, (n) => `203.0.${n}.1`);

    const refused = await asked('/login', '198.51.100.1');

    expect(refused.status).toBe(429);
    expect(refused.text).toContain('All users together have 8 requests of strangers in progress');
    expect((await asked(SELF, '192.0.2.1', user)).status).toBe(200);
  });
});

describe('requests of a user', () => {
  it('are limited, wherever they come from, and are not those of the network any more', async () => {
    const [ada, bob] = [await app.signIn(), await app.signIn()];
    const headers = { authorization: basic(ada.credentials), 'content-type': 'application/json' };
    for (let n = 0; n < 4; n += 1) {
      unfinished(`192.0.${n}.1`, headers, '/index.php/apps/news/api/v1-3/folders');
    }
    await until('known requests', () => app.inside(Shares).count('requests') === 4);
    expect(app.inside(Shares).count('requests of strangers')).toBe(0);

    const refused = await asked(SELF, '198.51.100.1', ada);

    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
    expect(refused.text).toContain('You already have 4 requests in progress');
    expect((await asked(SELF, '198.51.100.1', bob)).status).toBe(200);
  });
});

describe('requests of guests that an app answers', () => {
  it('are limited per app; users of the app are not affected', async () => {
    const user = await app.signIn();
    board.on('/slow', () => {});
    board.on('/quick', (_request, response) => void response.end('quick'));
    for (let n = 0; n < 3; n += 1) {
      const sender = new RawSender(app.url);
      senders.push(sender);
      sender.begin('GET', '/exapps/board/slow', 0, { 'x-forwarded-for': `192.0.${n}.1` });
    }
    await until('guests', () => app.inside(Shares).count('requests of guests') === 3);

    const refused = await asked('/exapps/board/quick', '198.51.100.1');

    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
    expect((await asked('/exapps/board/quick', '198.51.100.1', user)).text).toBe('quick');
    expect((await asked('/login', '198.51.100.1')).status).toBe(200);
  });
});
