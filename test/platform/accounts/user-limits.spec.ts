import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import http from 'node:http';
import { Config } from '../../../src/common/config/config.js';
import { Shares, type ShareKind } from '../../../src/common/http/shares.js';
import { basic } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { Chatter } from '../../support/chatter.js';
import { DavClient } from '../../support/dav-client.js';
import {
  json,
  knowApp,
  startExternalApp,
  type ExternalApp,
  type OcsAnswer,
} from '../../support/external-app.js';
import { rss, startFeedServer, type FeedServer } from '../../support/feed-server.js';
import { startApp, type TestApp, type TestUser } from '../../support/start-app.js';
import { until, within } from '../../support/until.js';

const OTHERS = ['bea', 'cem', 'dot', 'eli', 'fay', 'gus'];

const NEWS = '/index.php/apps/news/api/v1-3';

const LIMITS = `uploads-per-user=2 pieces-per-upload=2 locks-per-user=2 archives-per-user=2
  archives-per-process=3 feeds-per-user=2 folders-per-user=2 app-passwords-per-user=2
  sessions-per-user=2 values-per-app=2 value-bytes-per-app=1000 conversations-per-user=2
  participants-per-conversation=2 messages-per-conversation=6 reactions-per-message-and-person=2
  live-streams-per-process=1 chat-waits-per-process=1 websockets-per-user=1 websockets-per-process=2
  tasks-per-user=2 messages-per-user=10 property-bytes-per-user=2000 registrations-per-app=4
  registration-bytes-per-app=5000`;

let app: TestApp;
let publisher: FeedServer;
let external: ExternalApp;
beforeAll(async () => {
  [app, publisher] = await Promise.all([startApp({ GATEFOLD_LIMITS: LIMITS }), startFeedServer()]);
  external = await startExternalApp(app, { appId: 'keeper' });
  await knowApp(app, external);
  for (const name of OTHERS) {
    await app.signInOnce(name);
  }
});
afterAll(() => Promise.all([app.stop(), publisher.close(), external.close()]));

const idOf = (user: TestUser) => user.credentials.userId;

const uploadsOf = (user: TestUser) => `/remote.php/dav/uploads/${idOf(user)}`;

const chat = async (user: TestUser, method: string, path: string, body?: object) =>
  (await new Chatter(user).raw(method, path, body)).status;

/** This API always responds 200, with the status in the envelope. */
const asStatus = ({ statuscode }: OcsAnswer) => (statuscode === 100 ? 200 : statuscode);

const LOCK = '<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope></lockinfo>';

/**
 * A kind of object limited to two per user: how to create the n-th, and the status of the third.
 */
interface Bounded {
  readonly what: string;
  readonly refusal: number;
  prepare?(user: TestUser): Promise<unknown>;
  /** @returns the status */
  make(user: TestUser, n: number): Promise<number>;
}

const rooms = new Map<string, string>();
const roomOf = (user: TestUser) => rooms.get(idOf(user)) ?? '';
const openRoom = async (user: TestUser) => {
  rooms.set(idOf(user), await new Chatter(user).group('a room'));
};

const BOUNDED: readonly Bounded[] = [
  {
    what: 'uploads in pieces',
    refusal: 507,
    make: async (user, n) => (await user.call('MKCOL', `${uploadsOf(user)}/${n}`)).status,
  },
  {
    what: 'pieces of an upload',
    refusal: 507,
    prepare: (user) => user.call('MKCOL', `${uploadsOf(user)}/one`),
    make: async (user, n) =>
      (await user.call('PUT', `${uploadsOf(user)}/one/${n}`, { body: 'x' })).status,
  },
  {
    what: 'locks',
    refusal: 507,
    make: async (user, n) =>
      (await new DavClient(user).call('LOCK', `/${n}.txt`, { body: LOCK })).status,
  },
  {
    what: 'folders of feeds',
    refusal: 422,
    make: async (user, n) => (await user.post(`${NEWS}/folders`, { name: `f${n}` })).status,
  },
  {
    what: 'feeds',
    refusal: 422,
    make: async (user, n) => {
      publisher.publish(`/${n}.xml`, rss({ title: 't', link: publisher.url('/'), items: [] }));
      return (await user.post(`${NEWS}/feeds`, { url: publisher.url(`/${n}.xml`) })).status;
    },
  },
  {
    what: 'app passwords',
    refusal: 400,
    make: async (user, n) =>
      (await user.post('/ocs/v2.php/core/apppasswords', { name: `phone ${n}` })).status,
  },
  {
    what: 'values that an app keeps for a user',
    refusal: 400,
    make: async (user, n) => {
      const json = { configKey: `k${n}`, configValue: 'v' };
      const path = '/api/v1/ex-app/preference';
      return asStatus(await external.as(idOf(user)).ocs('POST', path, { json }));
    },
  },
  {
    what: 'conversations',
    refusal: 400,
    make: async (user, n) => chat(user, 'POST', 'v4/room', { roomType: 2, roomName: `r${n}` }),
  },
  {
    what: 'participants besides the owner',
    refusal: 400,
    prepare: openRoom,
    make: async (user, n) => {
      const newParticipant = OTHERS[n] ?? '';
      // The owner is one of the two.
      return n === 0
        ? 200
        : chat(user, 'POST', `v4/room/${roomOf(user)}/participants`, { newParticipant });
    },
  },
  {
    what: 'reactions to a message',
    refusal: 400,
    prepare: async (user) => {
      await openRoom(user);
      await new Chatter(user).say(roomOf(user), 'hello');
    },
    make: async (user, n) => {
      const [message] = await new Chatter(user).history(roomOf(user), 'lookIntoFuture=0');
      const { id } =
        message?.messageType === 'comment'
          ? message
          : await new Chatter(user).say(roomOf(user), 'hello');
      const reaction = ['👍', '🎉', '🌊', '🐚', '🦀', '🐟'][n];
      return chat(user, 'POST', `v1/reaction/${roomOf(user)}/${id}`, { reaction });
    },
  },
];

/** With how many of six may succeed. */
const IN_PARALLEL: readonly (Bounded & { readonly most: number })[] = [
  // Feeds are counted under the lock of the folders, and fetching six takes seconds.
  ...BOUNDED.filter(({ what }) => !/^(?:participants|feeds)/.test(what)).map((one) => ({
    ...one,
    most: 2,
  })),
  {
    what: 'participants besides the owner',
    most: 1,
    refusal: 400,
    prepare: openRoom,
    make: async (user, n) => {
      const newParticipant = OTHERS[n] ?? '';
      return chat(user, 'POST', `v4/room/${roomOf(user)}/participants`, { newParticipant });
    },
  },
  {
    what: 'app passwords of programs',
    most: 2,
    refusal: 403,
    make: async ({ credentials: { userId, password } }, n) => {
      const body = new URLSearchParams({ Email: userId, Passwd: password }).toString();
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': `program${'abcdef'[n]}`,
      };
      return (await app.asStranger().call('POST', '/accounts/ClientLogin', { body, headers }))
        .status;
    },
  },
];

describe('Of six requests at the same time, no more succeed than the limit allows, for', () => {
  it.each(IN_PARALLEL.map((one) => [one.what, one] as const))('%s', async (_what, bounded) => {
    const ada = await app.signIn();
    await bounded.prepare?.(ada);

    const statuses = await Promise.all([0, 1, 2, 3, 4, 5].map((n) => bounded.make(ada, n)));

    const made = statuses.filter((status) => status < 300);
    expect([made.length, ...new Set(statuses.filter((status) => status >= 300))]).toEqual([
      bounded.most,
      bounded.refusal,
    ]);
  });

  it('sessions, of which the others end', async () => {
    const { credentials } = await app.signIn();
    const browsers = Array.from({ length: 6 }, () => new Browser(app.url));

    await Promise.all(browsers.map((browser) => browser.login(credentials)));

    const self = '/ocs/v2.php/cloud/user?format=json';
    const answers = await Promise.all(browsers.map((browser) => browser.get(self)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
  });

  it('registrations of an app', async () => {
    const one = await startExternalApp(app, { appId: 'hasty' });
    await knowApp(app, one);

    const statuses = await Promise.all(
      Array.from({ length: 12 }, async (_one, n) =>
        asStatus(
          await one.as('').ocs('POST', '/api/v1/ui/initial-state', {
            json: { type: 'top_menu', name: 'page', key: `k${n}`, value: {} },
          }),
        ),
      ),
    );

    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    await one.close();
  });
});

describe('A user may have a limited number of', () => {
  it.each(BOUNDED.map((one) => [one.what, one] as const))('%s', async (_what, bounded) => {
    const ada = await app.signIn();
    const bob = await app.signIn();
    const statuses: number[] = [];
    for (const user of [ada, bob]) {
      await bounded.prepare?.(user);
    }
    for (let n = 0; n < 3; n++) {
      statuses.push(await bounded.make(ada, n));
    }

    expect(statuses.map((status) => status < 300)).toEqual([true, true, false]);
    expect(statuses[2]).toBe(bounded.refusal);
    // Other users are not affected.
    expect(await bounded.make(bob, 1)).toBeLessThan(300);
  });

  it('messages in a conversation, from which everybody can still delete messages', async () => {
    const ada = await app.signIn();
    await openRoom(ada);
    const chatter = new Chatter(ada);
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) {
      statuses.push(await chat(ada, 'POST', `v1/chat/${roomOf(ada)}`, { message: `m${n}` }));
    }
    const [last] = await chatter.history(roomOf(ada), 'lookIntoFuture=0');

    // The first message is the creation of the conversation.
    expect(statuses).toEqual([201, 201, 201, 201, 201, 400]);
    expect(await chat(ada, 'DELETE', `v1/chat/${roomOf(ada)}/${last?.id}`)).toBe(200);
  });

  it('messages in all conversations that a user owns', async () => {
    const ada = await app.signIn();
    const statuses: number[] = [];
    for (const n of [0, 1, 2]) {
      await openRoom(ada).catch(() => {});
      for (const message of n === 1 ? ['hello', 'x'.repeat(3500)] : ['hello', 'hello']) {
        statuses.push(await chat(ada, 'POST', `v1/chat/${roomOf(ada)}`, { message }));
      }
    }

    // 3 messages, then 3 of which one counts as 4, then 1 for the creation of what is never answered.
    expect(statuses).toEqual([201, 201, 201, 201, 400, 400]);
    const bob = await app.signIn();
    await openRoom(bob);
    expect(await chat(bob, 'POST', `v1/chat/${roomOf(bob)}`, { message: 'hello' })).toBe(201);
  });

  it('bytes in the dead properties of files, copies included', async () => {
    const ada = new DavClient(await app.signIn());
    await ada.put('/tide.txt', 'low');
    const set = async (value: string) =>
      (
        await ada.call('PROPPATCH', '/tide.txt', {
          body: `<d:propertyupdate xmlns:d="DAV:"><d:set><d:prop><color xmlns="urn:mine">${value}</color></d:prop></d:set></d:propertyupdate>`,
        })
      ).status;

    expect(await set('z'.repeat(900))).toBe(207);
    expect((await ada.copy('/tide.txt', '/copy.txt')).status).toBe(201);
    expect((await ada.copy('/tide.txt', '/more.txt')).status).toBe(507);
    expect(await set('z'.repeat(1200))).toBe(507);
    expect(await set('z')).toBe(207);
    expect((await ada.copy('/tide.txt', '/more.txt')).status).toBe(201);
    expect((await ada.get('/more.txt')).status).toBe(200);
  });

  it('what an app registers, and its bytes', async () => {
    const one = await startExternalApp(app, { appId: 'registrar' });
    await knowApp(app, one);
    const state = async (key: string, value: object) =>
      asStatus(
        await one.as('').ocs('POST', '/api/v1/ui/initial-state', {
          json: { type: 'top_menu', name: 'page', key, value },
        }),
      );
    for (const n of [1, 2, 3, 4]) {
      expect(await state(`k${n}`, {})).toBe(200);
    }

    expect(await state('k5', {})).toBe(400);
    expect(await state('k1', { text: 'z'.repeat(4000) })).toBe(200);
    expect(await state('k2', { text: 'z'.repeat(4000) })).toBe(400);
    await one.close();
  });

  it('sessions: beyond the limit the least recently seen ends', async () => {
    const ada = await app.signIn();
    const bob = await app.signIn();
    const browsers = [bob, ada, ada, ada].map((user) => ({ user, browser: new Browser(app.url) }));
    for (const { user, browser } of browsers) {
      await browser.login(user.credentials);
    }

    const self = '/ocs/v2.php/cloud/user?format=json';
    const statuses = browsers.map(async ({ browser }) => (await browser.get(self)).status);
    // That of another user has not been seen for longer, and goes on.
    expect(await Promise.all(statuses)).toEqual([200, 401, 200, 200]);
  });

  it('bytes in the values of an app', async () => {
    const keep = async (configKey: string, configValue: string) => {
      const json = { configKey, configValue };
      return asStatus(await external.as('').ocs('POST', '/api/v1/ex-app/config', { json }));
    };

    // Stored compressed.
    const value = () => 'z'.repeat(600);

    expect(await keep('a', value())).toBe(200);
    expect(await keep('b', value())).toBe(400);
    // Overwrites the first value.
    expect(await keep('a', value())).toBe(200);
  });
});

describe('Translations that wait for an app', () => {
  const translate = async (user: TestUser) => {
    const body = { text: 'Hallo', fromLanguage: 'de', toLanguage: 'en' };
    return (await user.post('/ocs/v2.php/translation/translate', body)).status;
  };

  /** Reports the result of the n-th task. */
  const report = async (nth: number) => {
    const { body } = await external.received('/translate', nth);
    const { task_id: taskId } = JSON.parse(body.toString()) as { task_id: number };
    const path = '/api/v1/ai_provider/translation';
    await external.as().ocs('PUT', path, { json: { taskId, result: 'Hello', error: '' } });
  };

  it('are limited, also concurrently, until one ends', async () => {
    const languages = { de: 'German', en: 'English' };
    await external.as().ocs('POST', '/api/v1/ai_provider/translation', {
      json: {
        name: 'it',
        displayName: 'It',
        fromLanguages: languages,
        toLanguages: languages,
        actionHandler: 'translate',
      },
    });
    external.on('/translate', json({}));
    const ada = await app.signIn();
    const bob = await app.signIn();

    const refused: number[] = [];
    const asked = [1, 2, 3, 4, 5, 6].map(async () => {
      const status = await translate(ada);
      if (status !== 200) {
        refused.push(status);
      }
      return status;
    });
    await until(
      'all six to be refused or passed on',
      () => refused.length + external.requests('/translate').length === 6,
    );

    expect(refused).toEqual([429, 429, 429, 429]);
    expect(await translate(ada)).toBe(429);

    await report(1);
    const [again, ofBob] = [translate(ada), translate(bob)];
    await Promise.all([2, 3, 4].map(report));

    expect(await Promise.all([again, ofBob])).toEqual([200, 200]);
    expect((await Promise.all(asked)).toSorted()).toEqual([200, 200, 429, 429, 429, 429]);
  });
});

it('A list of feeds with far too long titles is refused before it is made, for that user only.', async () => {
  const [user, other] = [await app.signIn(), await app.signIn()];
  publisher.publish('/long.xml', rss({ title: 'Long title', items: [{ title: 'One' }] }));
  await user.post(`${NEWS}/feeds`, { url: publisher.url('/long.xml'), folderId: null });
  await app.database.query(
    `update source set title = repeat('t', 25 * 1024 * 1024) where title = 'Long title'`,
  );

  const refused = await user.get(`${NEWS}/feeds`);

  expect([refused.status, refused.json]).toEqual([
    422,
    { message: expect.stringContaining('bytes of addresses and titles of feeds') },
  ]);
  expect((await other.get(`${NEWS}/feeds`)).status).toBe(200);
});

it('An import beyond the limit of feeds imports what fits, and names the rest.', async () => {
  const ada = await app.signIn();
  const outlines = [1, 2, 3].map(
    (n) => `<outline text="T${n}" xmlUrl="https://e.example/${n}.xml"/>`,
  );

  const answer = await ada.call('POST', `${NEWS}/opml/import`, {
    headers: { 'content-type': 'text/x-opml' },
    body: `<opml version="2.0"><body>${outlines.join('')}</body></opml>`,
  });

  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({
    imported: 2,
    alreadyThere: 0,
    invalid: [
      {
        title: 'T3',
        url: 'https://e.example/3.xml',
        reason: expect.stringContaining('at most 2 feeds per user'),
        line: null,
      },
    ],
  });
});

describe('Open connections', () => {
  const shares = () => app.inside(Shares);

  it('archives: a user may have two, all users three; ended ones do not count', async () => {
    const ada = new DavClient(await app.signIn());
    const bob = new DavClient(await app.signIn());
    for (const client of [ada, bob]) {
      await client.folder('/a');
    }
    const archive = (client: DavClient) => client.get('/a', { accept: 'application/zip' });
    const begun = [idOf(ada.user), idOf(ada.user), 'somebody'].map((owner) =>
      shares().take('archives', owner),
    );

    const refused = await archive(ada);
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('5');
    expect((await archive(bob)).status).toBe(429);
    expect((await bob.get('/a')).status).toBe(405);

    begun.forEach((done) => done());
    for (let n = 0; n < 4; n++) {
      expect((await archive(ada)).status).toBe(200);
    }
  });

  it.each<[ShareKind, (user: TestUser) => Promise<number>]>([
    ['live updates', (user) => statusOf(user, `${NEWS}/events`)],
    [
      'waiting chat requests',
      async (user) => {
        await openRoom(user);
        return statusOf(
          user,
          `/ocs/v2.php/apps/spreed/api/v1/chat/${roomOf(user)}?lookIntoFuture=1&timeout=1&lastKnownMessageId=999999999`,
        );
      },
    ],
  ])('%s: all users together may have so many, 429 beyond', async (kind, call) => {
    const ada = await app.signIn();
    const done = shares().take(kind, 'somebody');

    expect(await call(ada)).toBe(429);

    done();
    expect(await call(ada)).toBeLessThan(400);
  });

  it('WebSockets: are counted by user, guests by network', async () => {
    const limits = app.inside(Config).limits;
    expect([limits['websockets-per-user'], limits['websockets-per-process']]).toEqual([1, 2]);
    const first = shares().take('websockets', 'ada');

    expect(() => shares().take('websockets', 'ada')).toThrow('You already have 1 websockets');
    const second = shares().take('websockets', 'guest at 192.0.2.1');
    expect(() => shares().take('websockets', 'bob')).toThrow(
      'All users together have 2 websockets',
    );

    first();
    second();
  });

  /** Only the status, since some responses never end. */
  function statusOf(user: TestUser, path: string): Promise<number> {
    const answered = new Promise<number>((resolve, reject) => {
      const headers = { authorization: basic(user.credentials), 'ocs-apirequest': 'true' };
      const request = http.get(app.url + path, { headers }, (response) => {
        resolve(response.statusCode ?? 0);
        request.destroy();
      });
      request.once('error', reject);
    });
    return within(`the status of ${path}`, answered);
  }
});
