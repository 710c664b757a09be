import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ExAppRoutesRepository } from '../../src/app-api/apps/routes/ex-app-routes.repository.js';
import { Shares } from '../../src/common/http/shares.js';
import { AppPasswordsService } from '../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { basic } from '../support/api-client.js';
import { Browser } from '../support/browser.js';
import { knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { RawSender } from '../support/raw-sender.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { until } from '../support/until.js';

/* Shares of the requests that are under way; see docs/operations/limits.md. */

const POLL = '/login/v2/poll';
const SELF = '/ocs/v2.php/cloud/user?format=json';
const FOLDERS = '/index.php/apps/news/api/v1-3/folders';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let app: TestApp;
let board: ExternalApp;
beforeAll(async () => {
  app = await startApp({
    // Lets tests set the client address.
    GATEFOLD_TRUSTED_PROXIES: '127.0.0.0/8',
    GATEFOLD_LIMITS:
      'requests-per-user=4 requests-per-app=4 requests-per-network=5 anonymous-requests-per-process=8 guest-requests-per-app=3 websockets-per-user=9',
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

const counted = () => {
  const shares = app.inside(Shares);
  return {
    network: shares.count('requests of strangers'),
    user: shares.count('requests'),
    app: shares.count('requests of an app'),
  };
};

const open = () => Object.values(counted()).reduce((sum, one) => sum + one, 0);

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
      unfinished(`192.0.${n}.1`, headers, FOLDERS);
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
    // Refused before its credentials are looked up: so many are being looked up already.
    const ends = [1, 2, 3].map(() =>
      app.inside(Shares).take('requests with unknown credentials', 'board'),
    );
    const strange = { authorization: 'Basic YTpi', 'x-forwarded-for': '198.51.100.1' };
    const another = await app.asStranger().get('/exapps/board/quick', { headers: strange });
    ends.forEach((end) => end());
    expect(another.status).toBe(429);
    expect((await asked('/exapps/board/quick', '198.51.100.1', user)).text).toBe('quick');
    expect((await asked('/login', '198.51.100.1')).status).toBe(200);
  });
});

describe('requests with unknown credentials', () => {
  it('are those of guests when nobody was found for them', async () => {
    const shares = app.inside(Shares);
    board.on('/slow', () => {});
    const sender = new RawSender(app.url);
    senders.push(sender);
    sender.begin('GET', '/exapps/board/slow', 0, { cookie: 'theme=dark' });

    await until('a guest', () => shares.count('requests of guests') === 1);

    expect(shares.count('requests with unknown credentials')).toBe(0);
  });
});

describe('requests of guests that an app does not answer', () => {
  it('count for some seconds more: of many, most are refused before anything is looked up', async () => {
    const user = await app.signIn();
    const gone = await startExternalApp(app, { appId: 'gone' });
    await knowApp(app, gone);
    await app
      .inside(ExAppRoutesRepository)
      .replace('gone', await app.inside(ExAppRoutesRepository).ofApp('board'));
    await gone.close();
    const statuses: number[] = [];

    for (let n = 0; n < 4; n += 1) {
      statuses.push((await asked('/exapps/gone/', `192.0.${n}.1`)).status);
    }

    expect(statuses).toEqual([502, 502, 502, 429]);
    expect((await asked('/exapps/gone/', '198.51.100.1', user)).status).toBe(502);
  });

  it('count no longer when the app answers anybody', async () => {
    const user = await app.signIn();
    board.on('/broken', (_request, response) => void response.destroy());
    board.on('/whole', (_request, response) => void response.end('whole'));
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      statuses.push((await asked('/exapps/board/broken', `192.0.${n}.1`)).status);
    }

    expect((await asked('/exapps/board/whole', '198.51.100.1', user)).text).toBe('whole');

    statuses.push((await asked('/exapps/board/whole', '198.51.100.1')).status);
    expect(statuses).toEqual([502, 502, 502, 200]);
  });
});

type Owner = keyof ReturnType<typeof counted>;

/** Credentials of a request, and for whom it counts while it is unfinished. */
interface Sent {
  readonly what: string;
  readonly owner: Owner;
  /** A route that accepts them; none: a guard refuses them at once. */
  readonly acceptedAt?: string;
  headers(): Promise<Record<string, string>>;
}

const cookiesOf = ({ cookies }: Browser) => ({
  cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
});

const passwordOf = async (user: TestUser) => {
  const { id, token } = await app.inside(AppPasswordsService).add(user.credentials.userId, 'phone');
  return { id, headers: { authorization: basic({ ...user.credentials, password: token }) } };
};

const CREDENTIALS: readonly Sent[] = [
  { what: 'no credentials', owner: 'network', headers: async () => ({}) },
  {
    what: 'a wrong password',
    owner: 'network',
    headers: async () => ({
      authorization: basic({ ...(await app.signIn()).credentials, password: 'wrong' }),
    }),
  },
  {
    what: 'the right password',
    owner: 'user',
    acceptedAt: SELF,
    headers: async () => ({ authorization: basic((await app.signIn()).credentials) }),
  },
  {
    what: 'an app password',
    owner: 'user',
    acceptedAt: SELF,
    headers: async () => (await passwordOf(await app.signIn())).headers,
  },
  {
    what: 'an app password that was revoked',
    owner: 'network',
    async headers() {
      const user = await app.signIn();
      const { id, headers } = await passwordOf(user);
      await asKnown(headers);
      await app.inside(AppPasswordsService).revoke(user.credentials.userId, id);
      return headers;
    },
  },
  {
    what: 'a session without its token',
    owner: 'user',
    acceptedAt: SELF,
    async headers() {
      const browser = new Browser(app.url);
      await browser.login((await app.signIn()).credentials);
      return cookiesOf(browser);
    },
  },
  {
    what: 'the token of a Google Reader client',
    owner: 'user',
    acceptedAt: '/reader/api/0/user-info',
    async headers() {
      const { userId, password } = (await app.signIn()).credentials;
      const body = new URLSearchParams({ Email: userId, Passwd: password }).toString();
      const answer = await app
        .asStranger()
        .call('POST', '/accounts/ClientLogin', { body, headers: FORM });
      const token = /^Auth=(.*)$/m.exec(answer.text)?.[1] ?? '';
      return { authorization: `GoogleLogin auth=${token}` };
    },
  },
  {
    what: 'the credentials of an app',
    owner: 'app',
    acceptedAt: SELF,
    headers: async () => ({ ...board.as((await app.signIn()).credentials.userId).headers }),
  },
  {
    what: 'a log-in without its second factor',
    owner: 'network',
    async headers() {
      const user = await app.signIn();
      await app.database.query('update account set has_second_factor = true where user_id = $1', [
        user.credentials.userId,
      ]);
      const browser = new Browser(app.url);
      await browser.login(user.credentials);
      expect([...browser.cookies.keys()]).toEqual([expect.stringMatching(/half/)]);
      return { ...cookiesOf(browser), authorization: basic(user.credentials) };
    },
  },
];

const ROUTES: readonly {
  readonly what: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
}[] = [
  { what: 'a route without a guard', path: POLL },
  { what: 'a guarded route', path: FOLDERS, headers: { 'content-type': 'application/json' } },
  { what: 'a guard that reads the body', path: '/fever' },
];

const NETWORK = '198.51.100.1';

/** @returns the status */
async function asKnown(headers: Record<string, string>, path = SELF): Promise<number> {
  const from = { 'x-forwarded-for': NETWORK };
  return (await app.asStranger().get(path, { headers: { ...headers, ...from } })).status;
}

describe('Unfinished requests count for one owner from their head on', () => {
  const cases = ROUTES.flatMap((route) =>
    CREDENTIALS.map((sent) => [sent.what, route.what, sent, route] as const),
  );

  it.each(cases)('with %s at %s', async (_with, _at, { owner, acceptedAt, headers }, route) => {
    const bob = { authorization: basic((await app.signIn()).credentials) };
    const given = await headers();
    const toldBefore = [await asKnown(bob), acceptedAt && (await asKnown(given, acceptedAt))];
    expect(toldBefore).toEqual([200, acceptedAt && 200]);
    await until('no requests', () => open() === 0);
    const limit = owner === 'network' ? 5 : 4;
    // An app needs the consent of the user there.
    const isRefusedAtOnce = route.path === FOLDERS && (acceptedAt !== SELF || owner === 'app');

    const begun = Array.from({ length: isRefusedAtOnce ? limit : limit + 1 }, () =>
      unfinished(NETWORK, { ...route.headers, ...given }, route.path),
    );
    const answered = () => begun.filter(({ received }) => received !== '');
    const isAsExpected = () => open() === (isRefusedAtOnce ? 0 : limit);
    await until('all', () => isAsExpected() && open() + answered().length === begun.length);
    const statuses = await Promise.all(answered().map((sender) => sender.status()));

    const none = { network: 0, user: 0, app: 0 };
    expect([counted(), ...new Set(statuses)]).toEqual(
      isRefusedAtOnce ? [none, owner === 'app' ? 403 : 401] : [{ ...none, [owner]: limit }, 429],
    );
    expect(await asKnown(bob)).toBe(200);
  });
});
