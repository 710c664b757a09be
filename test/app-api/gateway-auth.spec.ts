import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ExAppsRepository } from '../../src/app-api/apps/ex-apps.repository.js';
import { ConsentsService } from '../../src/app-api/consent/consents.service.js';
import { Clock } from '../../src/common/clock.js';
import { Config } from '../../src/common/config/config.js';
import { Pause } from '../../src/common/pause.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import type { Answer } from '../support/api-client.js';
import { knowApp, startExternalApp, toOcs, type ExternalApp } from '../support/external-app.js';
import { withOtherSettings } from '../support/other-settings.js';
import { startApp, type TestApp } from '../support/start-app.js';

const V1 = '/ocs/v1.php/apps/app_api';
const V2 = '/ocs/v2.php/apps/app_api';
const BARE = '/apps/app_api';
const USERS = '/api/v1/users?format=json';
const LOG = '/api/v1/log?format=json';
const SECRET = 'se:cret of a1';

let app: TestApp;
let a1: ExternalApp;
let disabled: ExternalApp;
let initialising: ExternalApp;
let ada: string;

/** The delays, recorded instead of waited for. */
const waitedSeconds: number[] = [];
let now = new Date('2026-03-01T12:00:00Z');

beforeAll(async () => {
  app = await startApp({
    GATEFOLD_RATE_LIMITS: 'on',
    // Tests set the client address.
    GATEFOLD_TRUSTED_PROXIES: '127.0.0.0/8',
  });
  app.inside(Clock).now = () => now;
  app.inside(Pause).forSeconds = async (seconds) => void waitedSeconds.push(seconds);
  ada = (await app.signIn()).credentials.userId;
  a1 = await startExternalApp(app, { appId: 'a1', secret: SECRET });
  disabled = await startExternalApp(app, { appId: 'disabled' });
  initialising = await startExternalApp(app, { appId: 'initialising' });
  await knowApp(app, a1);
  await knowApp(app, disabled, false);
  await knowApp(app, initialising, false);
  await apps().changeStatus('initialising', { type: 'install', action: 'init', init: 0 });
});

afterAll(async () => {
  await Promise.all([a1, disabled, initialising].map((external) => external?.close()));
  await app?.stop();
});

/** Each test runs on a separate day, when all failures have expired. */
beforeEach(() => {
  now = new Date(now.getTime() + 86_400_000);
  waitedSeconds.length = 0;
});

function apps(): ExAppsRepository {
  return app.inside(ExAppsRepository);
}

async function versionOf(appId: string): Promise<string | undefined> {
  return (await apps().find(appId))?.version;
}

function triple(userId = '', secret = SECRET, appId = 'a1'): Record<string, string> {
  return {
    'EX-APP-ID': appId,
    'EX-APP-VERSION': '1.0.0',
    'AUTHORIZATION-APP-API': Buffer.from(`${userId}:${secret}`).toString('base64'),
  };
}

function without(name: string, headers = triple()): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}

function call(
  headers: Record<string, string>,
  path = `${V1}${USERS}`,
  method = 'GET',
): Promise<Answer> {
  return app.asStranger().call(method, path, { headers });
}

function from(address: string, headers = triple()): Record<string, string> {
  return { ...headers, 'X-Forwarded-For': address };
}

async function failuresCounted(): Promise<number> {
  const [row] = await app.database.query<{ count: number }>(
    'select count(*)::int as count from gateway_failure where failed_at = $1',
    [now],
  );
  return row?.count ?? 0;
}

const REFUSED_V1 = {
  ocs: {
    meta: {
      status: 'failure',
      statuscode: 997,
      message: 'AppAPI authentication failed',
      totalitems: '',
      itemsperpage: '',
    },
    data: [],
  },
};

function expectRefused(answer: Answer): void {
  expect(answer.status).toBe(401);
  expect(answer.json).toEqual(REFUSED_V1);
}

describe('an external app', () => {
  it('is accepted with its id, version and secret', async () => {
    const answer = await call(triple());

    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ ocs: { meta: { status: 'ok', statuscode: 100 } } });
  });

  it('[G1] is refused without AUTHORIZATION-APP-API', async () => {
    expectRefused(await call(without('AUTHORIZATION-APP-API'), `${V1}${LOG}`, 'POST'));
    expectRefused(await call({}, `${V1}${LOG}`, 'POST'));
  });

  it('[G2] is refused without EX-APP-ID', async () => {
    expectRefused(await call(without('EX-APP-ID')));
  });

  it('[G3] [G4] is refused in the same way for an unknown id and for a wrong secret', async () => {
    const unknown = await call(from('192.0.2.1', triple('', SECRET, 'nobody')));
    const wrong = await call(from('192.0.2.1', triple('', 'wrong')));

    expectRefused(unknown);
    expect(unknown.text).toBe(wrong.text);
    expect(await failuresCounted()).toBe(2);
  });

  it.each([
    ['no base64', '%%%'],
    ['empty', ''],
    ['without a colon', Buffer.from('no colon').toString('base64')],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00]).toString('base64')],
    ['a user that no database can hold', Buffer.from(`\0:${SECRET}`).toString('base64')],
    ['Basic credentials', `Basic ${Buffer.from(`:${SECRET}`).toString('base64')}`],
  ])('[G5] is refused with a header that is %s', async (_what, header) => {
    expectRefused(await call({ ...triple(), 'AUTHORIZATION-APP-API': header }));
  });

  it('is refused with the secret of another app', async () => {
    expectRefused(await call(triple('', disabled.secret)));
  });

  it('[G6] may have colons in its secret', async () => {
    expect(SECRET).toContain(':');
    expect((await call(triple(ada))).status).toBe(200);
  });

  it.each([undefined, '', ' '])('[G7] is refused with EX-APP-VERSION "%s"', async (version) => {
    const headers = without('EX-APP-VERSION');

    expectRefused(
      await call(version === undefined ? headers : { ...headers, 'EX-APP-VERSION': version }),
    );
  });

  it('[G8] raises the stored version with a higher one, and stays enabled', async () => {
    const answer = await call({ ...triple(), 'EX-APP-VERSION': '1.10.0' });

    expect(answer.status).toBe(200);
    expect(await apps().find('a1')).toMatchObject({ version: '1.10.0', enabled: true });
  });

  it.each(['0.9.0', '1.9.0', 'newest'])(
    '[G9] is accepted with the version "%s", which changes nothing',
    async (version) => {
      const known = await versionOf('a1');

      expect((await call({ ...triple(), 'EX-APP-VERSION': version })).status).toBe(200);
      expect(await versionOf('a1')).toBe(known);
    },
  );

  it('[G10] needs no AA-VERSION', async () => {
    expect(Object.keys(triple())).not.toContain('AA-VERSION');
    expect((await call(triple())).status).toBe(200);
  });

  it('[G11] may send header names in any case', async () => {
    const lower = Object.entries(triple()).map(([name, value]) => [name.toLowerCase(), value]);
    const mixed = Object.entries(triple()).map(([name, value]) => [
      name.replace('APP', 'aPp'),
      value,
    ]);

    expect((await call(Object.fromEntries(lower) as Record<string, string>)).status).toBe(200);
    expect((await call(Object.fromEntries(mixed) as Record<string, string>)).status).toBe(200);
  });

  it('[G12] is refused when it acts for an unknown or disabled user', async () => {
    const gone = (await app.signIn()).credentials.userId;
    await app.inside(UsersService).disable(gone);

    expectRefused(await call(triple('nobody')));
    expectRefused(await call(triple(gone)));
    expect(await failuresCounted()).toBe(0);
  });

  it('[G13] may omit the user where none is required', async () => {
    const answer = await a1
      .as('')
      .ocs('POST', '/api/v1/ex-app/config', { json: { configKey: 'k', configValue: 'v' } });

    expect(answer.statuscode).toBe(100);
  });

  it('[G14] is refused without a user where one is required', async () => {
    const answer = await a1
      .as('')
      .ocs('POST', '/api/v1/ex-app/preference', { json: { configKey: 'k', configValue: 'v' } });

    expect(answer).toMatchObject({
      httpStatus: 401,
      statuscode: 997,
      message: 'Current user is not logged in',
    });
  });

  it('[G15] is refused while it is disabled, without counting as a guess', async () => {
    const answer = await call(triple('', disabled.secret, 'disabled'));

    expectRefused(answer);
    expect(await failuresCounted()).toBe(0);
    expect(await versionOf('disabled')).toBe('1.0.0');
  });

  it.each([`${V1}/ex-app/state`, `${V1}/api/v1/ex-app/state`, `${BARE}/api/v1/ex-app/state`])(
    '[G16] [G17] [G18] learns at %s whether it is enabled',
    async (path) => {
      const on = await call(triple(), `${path}?format=json`);
      const off = await call(triple('', disabled.secret, 'disabled'), `${path}?format=json`);

      expect(toOcs(on)).toMatchObject({ httpStatus: 200, statuscode: 100, data: 1 });
      expect(toOcs(off)).toMatchObject({ httpStatus: 200, statuscode: 100, data: 0 });
    },
  );

  it('[G19] may report progress while it is initialised but not enabled', async () => {
    const status = `${V1}/ex-app/status?format=json`;
    const body = { json: { progress: 5 } };
    const during = await app.asStranger().call('PUT', status, {
      ...body,
      headers: triple('', initialising.secret, 'initialising'),
    });
    const otherwise = await app.asStranger().call('PUT', status, {
      ...body,
      headers: triple('', disabled.secret, 'disabled'),
    });

    expect(toOcs(during)).toMatchObject({ httpStatus: 200, statuscode: 100 });
    expectRefused(otherwise);
  });

  it('is refused before Basic credentials are checked', async () => {
    expectRefused(
      await app.asAdmin().call('GET', `${V1}${USERS}`, { headers: without('EX-APP-ID') }),
    );
    expectRefused(await app.asAdmin().call('GET', `${V1}${USERS}`));
  });
});

describe('an address', () => {
  const HERE = '192.0.2.7';
  const ELSEWHERE = '198.51.100.7';

  async function fail(times: number, address = HERE, appId = 'a1'): Promise<number[]> {
    const statuses: number[] = [];
    for (let time = 1; time <= times; time += 1) {
      statuses.push((await call(from(address, triple('', `guess ${time}`, appId)))).status);
    }
    return statuses;
  }

  const succeed = (address = HERE) => call(from(address));

  it('[G20] is refused with 429 in every format after more than ten failures in 30 minutes', async () => {
    expect(await fail(12)).toEqual([...Array.from({ length: 11 }, () => 401), 429]);

    for (const root of [V1, V2, BARE]) {
      const answer = await call(from(HERE, triple('', 'wrong')), `${root}${USERS}`);

      expect(toOcs(answer)).toMatchObject({ httpStatus: 429, statuscode: 429, status: 'failure' });
      expect(answer.headers['retry-after']).toBe('1800');
    }
    expect((await fail(1, ELSEWHERE))[0]).toBe(401);
  });

  it('is never refused or delayed with the correct secret, no matter what was sent before', async () => {
    expect((await fail(13)).at(-1)).toBe(429);
    waitedSeconds.length = 0;

    expect((await succeed()).status).toBe(200);
    expect(waitedSeconds).toEqual([]);
    expect((await fail(1))[0]).toBe(429);
  });

  it('[G20] is accepted again when the failures are half an hour old', async () => {
    await fail(11);
    now = new Date(now.getTime() + 1_799_000);
    expect((await fail(1))[0]).toBe(429);
    now = new Date(now.getTime() + 1000);

    expect((await fail(1))[0]).toBe(401);
  });

  it('[G21] is delayed longer with every failure, at most 25 seconds', async () => {
    await fail(10);

    expect(waitedSeconds).toEqual([0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25, 25]);
  });

  it('[G21] starts again after twelve hours', async () => {
    await fail(3);
    waitedSeconds.length = 0;
    now = new Date(now.getTime() + 12 * 3_600_000);
    await fail(1);

    expect(waitedSeconds).toEqual([]);
  });

  it('is delayed only by its own failures', async () => {
    await fail(3);
    waitedSeconds.length = 0;
    await fail(1, ELSEWHERE);

    expect(waitedSeconds).toEqual([]);
  });

  it('is delayed and refused for one app id, existing or not', async () => {
    for (const appId of ['disabled', 'nowhere']) {
      expect((await fail(12, HERE, appId)).at(-1)).toBe(429);
    }
    waitedSeconds.length = 0;

    expect((await fail(1))[0]).toBe(401);
    expect(waitedSeconds).toEqual([]);
    expect((await fail(1, HERE, 'nowhere'))[0]).toBe(429);
  });

  it('is refused for all apps after more than a hundred failures in 30 minutes', async () => {
    for (let guess = 0; guess < 100; guess += 1) {
      await fail(1, HERE, `guess-${guess}`);
    }
    expect((await fail(1, HERE, 'guess-100'))[0]).toBe(401);

    expect((await fail(1, HERE, 'guess-101'))[0]).toBe(429);
    expect((await fail(1, ELSEWHERE))[0]).toBe(401);
    expect((await succeed()).status).toBe(200);
  });

  it('is refused for its latest failures, however many earlier ones its address has', async () => {
    await app.database.query(
      `insert into gateway_failure (network, claim_hash, failed_at)
       select $1, 'another', $2 from generate_series(1, 101)`,
      [HERE, new Date(now.getTime() - 3_600_000)],
    );

    expect((await fail(12)).slice(-2)).toEqual([401, 429]);
  });

  it('[G22] is taken from trusted proxies only', async () => {
    const direct = await startApp({ GATEFOLD_RATE_LIMITS: 'on' });
    direct.inside(Pause).forSeconds = async () => {};
    const spoofing = (number: number) =>
      direct.asStranger().call('GET', `${V1}${USERS}`, { headers: from(`192.0.2.${number}`) });
    for (let number = 1; number <= 11; number += 1) {
      await spoofing(number);
    }
    const { status } = await spoofing(12);
    await direct.stop();

    expect(status).toBe(429);
  });

  it('is counted in the database for all replicas, with one count per IPv6 network', async () => {
    await fail(1);
    await fail(1, '2001:db8:1:2::1');
    await fail(1, '2001:db8:1:2::2');

    expect(
      await app.database.query(
        `select network, count(*)::int as failures from gateway_failure
          where failed_at = $1 group by network order by network`,
        [now],
      ),
    ).toEqual([
      { network: HERE, failures: 1 },
      { network: '2001:db8:1:2::/64', failures: 2 },
    ]);
  });

  it('is deleted when it no longer has an effect', async () => {
    await fail(3, '203.0.113.1');
    now = new Date(now.getTime() + 13 * 3_600_000);
    await fail(1, '203.0.113.2');

    expect(
      await app.database.query(
        `select distinct network from gateway_failure where network like '203.%'`,
      ),
    ).toEqual([{ network: '203.0.113.2' }]);
  });

  it('is neither counted nor delayed without rate limits, no matter what was counted before', async () => {
    await fail(11);
    waitedSeconds.length = 0;

    const statuses = await withOtherSettings(app.inside(Config), { rateLimits: false }, () =>
      fail(12),
    );

    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(waitedSeconds).toEqual([]);
    expect(await failuresCounted()).toBe(11);
  });
});

describe('a refusal', () => {
  it('[G23] has HTTP 401 and code 997 under v2, without paging fields', async () => {
    const answer = await call(triple('', 'wrong'), `${V2}${USERS}`);

    expect(answer.status).toBe(401);
    expect(answer.json).toEqual({
      ocs: {
        meta: { status: 'failure', statuscode: 997, message: 'AppAPI authentication failed' },
        data: [],
      },
    });
  });

  it('has HTTP 401 and code 997 at bare paths', async () => {
    expectRefused(await call(triple('', 'wrong'), `${BARE}${USERS}`));
  });
});

describe("the host's own routes", () => {
  const SELF = '/ocs/v1.php/cloud/user?format=json';
  const CAPABILITIES = '/ocs/v1.php/cloud/capabilities?format=json';

  it('act for the user that an app names', async () => {
    expect(toOcs(await call(triple(ada), SELF))).toMatchObject({
      statuscode: 100,
      data: { id: ada },
    });
    expect(
      toOcs(await call(triple('admin'), `/ocs/v2.php/cloud/users/${ada}?format=json`)).data,
    ).toMatchObject({ id: ada });
  });

  it.each([
    ['a wrong secret', () => triple(ada, 'wrong')],
    ['no id', () => without('EX-APP-ID', triple(ada))],
    ['a disabled app', () => triple(ada, disabled.secret, 'disabled')],
    ['nobody to act for', () => triple('')],
  ])('treat an app with %s as anonymous', async (_what, headers) => {
    const answer = await call(headers(), SELF);

    expect(toOcs(answer)).toMatchObject({
      httpStatus: 401,
      statuscode: 997,
      message: 'Current user is not logged in',
    });
  });

  it('show public information to an app with or without a user', async () => {
    const forNobody = toOcs(await call(triple(), CAPABILITIES));
    const wrong = toOcs(await call(triple(ada, 'wrong'), CAPABILITIES));
    const stranger = toOcs(await app.asStranger().get(CAPABILITIES));

    expect(stranger).toMatchObject({ httpStatus: 200, statuscode: 100 });
    expect(forNobody).toEqual(stranger);
    expect(wrong).toEqual(stranger);
  });

  it('allow administration only to an app that acts for an administrator', async () => {
    const path = `${V1}/api/v1/info/host_url?format=json`;

    expect(toOcs(await call(triple('admin'), path))).toMatchObject({ statuscode: 100 });
    expect(toOcs(await call(triple(ada), path))).toMatchObject({
      httpStatus: 200,
      statuscode: 403,
      message: 'Logged in user must be an admin',
    });
    expect((await call(triple(), path)).status).toBe(401);
  });

  it('include those of the feed reader, with the consent of the user', async () => {
    const folders = '/apps/news/api/v1-3/folders';

    expect((await call(triple(ada), folders)).status).toBe(403);
    await app.inside(ConsentsService).decide('a1', ada, 'granted');
    expect((await call(triple(ada), folders)).json).toEqual({ folders: [] });
    expect((await call(triple(ada, 'wrong'), folders)).status).toBe(401);
    expect((await call(triple(), folders)).status).toBe(401);
  });

  it('count wrong secrets as the gateway does', async () => {
    await call(from('192.0.2.200', triple(ada, 'wrong')), SELF);

    expect(await failuresCounted()).toBe(1);
  });
});
