import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Delete, Get, Param, Post, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { AdminGuard } from '../../src/common/auth/admin.guard.js';
import { InvalidInput } from '../../src/common/errors/domain-error.js';
import { Public } from '../../src/common/http/current-user.decorator.js';
import { Input } from '../../src/common/http/input.decorator.js';
import { OcsFailure } from '../../src/common/ocs/envelope.js';
import { OcsController } from '../../src/common/ocs/ocs-controller.decorator.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { AccountAlreadyExists, AccountNotFound } from '../../src/platform/platform.errors.js';
import { startPlatform, type Platform } from '../platform/start-platform.js';
import type { Answer, ApiClient } from '../support/api-client.js';

/** A resource like those of the gateway. */
@OcsController('apps/trial', { bare: true })
class TrialController {
  @Get('list')
  list() {
    return ['a', { nested: [1, 2], none: null, yes: true, no: false }];
  }

  @Get('number')
  number() {
    return 1;
  }

  @Get('nothing')
  nothing(): void {}

  @Post('things/:thing')
  add(@Param('thing') thing: string) {
    return { thing };
  }

  @Delete('things')
  remove(@Input(z.object({ name: z.string() })) { name }: { name: string }) {
    return name;
  }

  @Get('fail/:how')
  fail(@Param('how') how: string) {
    throw FAILURES[how];
  }

  @Get('admin')
  @UseGuards(AdminGuard)
  admin() {
    return 'in';
  }

  @Get('open')
  @Public()
  open() {
    return 'in';
  }
}

/** A plain route beside it. */
@Controller('plain')
class PlainController {
  @Get()
  show() {
    return { plain: true };
  }
}

const FAILURES: Record<string, Error> = {
  missing: new AccountNotFound('zoe'),
  conflict: new AccountAlreadyExists('zoe'),
  invalid: new InvalidInput('The name is empty.'),
  bug: new Error('secret internals'),
  prescribed: new OcsFailure(400, '', { error: 'ExApp said no' }),
};

const V1 = '/ocs/v1.php/apps/trial';
const V2 = '/ocs/v2.php/apps/trial';
const BARE = '/apps/trial';
const JSON_ONLY = { headers: { accept: 'application/json' } };

let platform: Platform;
let ada: ApiClient;
let stranger: ApiClient;

beforeAll(async () => {
  platform = await startPlatform({
    settings: { GATEFOLD_RATE_LIMITS: 'off', GATEFOLD_ADMIN_PASSWORD: 'of the administrator' },
    controllers: [TrialController, PlainController],
  });
  const credentials = { userId: 'ada', password: 'long enough' };
  await platform.get(UsersService).add({ ...credentials, displayName: 'Ada <L> & Co' });
  ada = platform.as(credentials);
  stranger = platform.as();
});

afterAll(() => platform?.stop());

function meta(answer: Answer): unknown {
  return (answer.json as { ocs: { meta: unknown } }).ocs.meta;
}

describe('a success', () => {
  it('has HTTP 200 and code 100 under v1, with empty paging fields', async () => {
    const answer = await ada.get(`${V1}/number`, JSON_ONLY);

    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.json).toEqual({
      ocs: {
        meta: { status: 'ok', statuscode: 100, message: 'OK', totalitems: '', itemsperpage: '' },
        data: 1,
      },
    });
  });

  it('has HTTP 200 and code 200 under v2, without paging fields', async () => {
    const answer = await ada.get(`${V2}/number`, JSON_ONLY);

    expect(answer.status).toBe(200);
    expect(meta(answer)).toEqual({ status: 'ok', statuscode: 200, message: 'OK' });
  });

  it('has HTTP 200 and code 100 at the bare path', async () => {
    const answer = await ada.get(`${BARE}/number`);

    expect(answer.status).toBe(200);
    expect(meta(answer)).toMatchObject({ status: 'ok', statuscode: 100, totalitems: '' });
  });

  it('is never 201, for any method', async () => {
    const answer = await ada.post(`${V2}/things/one?format=json`, {});

    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ ocs: { data: { thing: 'one' } } });
  });

  it('has an empty list as data if there is none', async () => {
    const answer = await ada.get(`${V1}/nothing`, JSON_ONLY);

    expect(answer.json).toMatchObject({ ocs: { data: [] } });
  });

  it.each([
    ['query', '/things?name=a&format=json', undefined],
    ['body', '/things?format=json', { name: 'a' }],
  ])('takes the parameters of a DELETE from the %s', async (_where, path, json) => {
    const answer = await ada.call('DELETE', V1 + path, { json });

    expect(answer.json).toMatchObject({ ocs: { meta: { statuscode: 100 }, data: 'a' } });
  });
});

describe('the format', () => {
  it('is XML under the roots by default', async () => {
    const answer = await ada.get(`${V1}/list`);

    expect(answer.headers['content-type']).toBe('application/xml; charset=utf-8');
    expect(answer.text.replaceAll('\n', '')).toBe(
      '<?xml version="1.0"?><ocs><meta><status>ok</status><statuscode>100</statuscode>' +
        '<message>OK</message><totalitems/><itemsperpage/></meta><data><element>a</element>' +
        '<element><nested><element>1</element><element>2</element></nested><none/><yes>1</yes><no/>' +
        '</element></data></ocs>',
    );
  });

  it.each([
    ['application/json', 'json'],
    ['application/json, application/xml', 'json'],
    ['application/xml;q=0.9, application/json', 'xml'],
    ['text/html, application/json', 'json'],
    ['*/*', 'xml'],
    ['json', 'json'],
  ])('follows "Accept: %s" under the roots', async (accept, format) => {
    const answer = await ada.get(`${V2}/list`, { headers: { accept } });

    expect(answer.headers['content-type']).toContain(`application/${format}`);
  });

  it('prefers the parameter to Accept', async () => {
    const xml = await ada.get(`${V1}/list?format=xml`, JSON_ONLY);
    const json = await ada.get(`${V1}/list?format=json`, {
      headers: { accept: 'application/xml' },
    });
    const inBody = await ada.post(`${V1}/things/one`, { format: 'json' });

    expect(xml.text).toMatch(/^<\?xml/);
    expect(json.json).toBeDefined();
    expect(inBody.json).toBeDefined();
  });

  it('ignores an unknown format parameter', async () => {
    expect((await ada.get(`${V1}/list?format=csv`, JSON_ONLY)).json).toBeDefined();
  });

  it('is JSON at bare paths by default', async () => {
    expect((await ada.get(`${BARE}/list`)).json).toBeDefined();
    expect((await ada.get(`${BARE}/list?format=xml`)).text).toMatch(/^<\?xml/);
  });
});

describe('a failure', () => {
  it.each([
    ['missing', 404, 'There is no user "zoe".'],
    ['conflict', 409, 'There is already a user "zoe".'],
    ['invalid', 400, 'The name is empty.'],
  ])(
    'that is %s has code %i, in the HTTP status too except under v1',
    async (how, code, message) => {
      const [v1, v2, bare] = await Promise.all(
        [V1, V2, BARE].map((root) => ada.get(`${root}/fail/${how}`, JSON_ONLY)),
      );

      expect([v1?.status, v2?.status, bare?.status]).toEqual([200, code, code]);
      for (const answer of [v1, v2, bare]) {
        expect(answer?.json).toMatchObject({
          ocs: { meta: { status: 'failure', statuscode: code, message }, data: [] },
        });
      }
    },
  );

  it('of the service has code 996 and reveals nothing', async () => {
    const v1 = await ada.get(`${V1}/fail/bug`, JSON_ONLY);
    const v2 = await ada.get(`${V2}/fail/bug`, JSON_ONLY);

    expect([v1.status, v2.status]).toEqual([200, 500]);
    expect(meta(v2)).toEqual({
      status: 'failure',
      statuscode: 996,
      message: 'Internal server error',
    });
    expect(v1.text + v2.text).not.toContain('secret internals');
  });

  it('may have a prescribed code, text and data', async () => {
    const answer = await ada.get(`${V2}/fail/prescribed`, JSON_ONLY);

    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      ocs: {
        meta: { status: 'failure', statuscode: 400, message: '' },
        data: { error: 'ExApp said no' },
      },
    });
  });

  it.each([V1, V2, BARE])('to log in has HTTP 401 and code 997 at %s', async (root) => {
    const answer = await stranger.get(`${root}/number`, JSON_ONLY);

    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toContain('Basic');
    expect(answer.json).toMatchObject({
      ocs: {
        meta: { status: 'failure', statuscode: 997, message: 'Current user is not logged in' },
        data: [],
      },
    });
  });

  it('for missing rights has code 403', async () => {
    const v1 = await ada.get(`${V1}/admin`, JSON_ONLY);
    const v2 = await ada.get(`${V2}/admin`, JSON_ONLY);
    const admin = platform.as({ userId: 'admin', password: 'of the administrator' });

    expect([v1.status, v2.status]).toEqual([200, 403]);
    expect(meta(v1)).toMatchObject({
      statuscode: 403,
      message: 'Logged in user must be an admin',
    });
    expect((await admin.get(`${V2}/admin`)).status).toBe(200);
  });

  it('for an unreadable body has code 400', async () => {
    const answer = await ada.call('POST', `${V2}/things/one`, {
      body: '{"name"',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
    });

    expect(answer.status).toBe(400);
    expect(meta(answer)).toMatchObject({
      statuscode: 400,
      message: 'The request body is not valid JSON.',
    });
  });

  it('for a missing parameter names it', async () => {
    const answer = await ada.call('DELETE', `${V2}/things?format=json`);

    expect(answer.status).toBe(400);
    expect(meta(answer)).toMatchObject({ message: 'The parameter "name" is missing.' });
  });
});

describe('a path', () => {
  it('without a route has code 998, HTTP 404 under v2', async () => {
    const v1 = await ada.get('/ocs/v1.php/apps/unknown', JSON_ONLY);
    const v2 = await ada.get('/ocs/v2.php/apps/unknown', JSON_ONLY);
    const root = await ada.get('/ocs/v2.php', JSON_ONLY);

    expect([v1.status, v2.status, root.status]).toEqual([200, 404, 404]);
    expect(meta(v1)).toMatchObject({ status: 'failure', statuscode: 998 });
    expect(meta(v2)).toMatchObject({ status: 'failure', statuscode: 998 });
  });

  it.each([V1, V2, BARE])('below %s with a wrong verb has HTTP 405 and no body', async (root) => {
    const answer = await ada.call('PUT', `${root}/things/one`);

    expect(answer.status).toBe(405);
    expect(answer.text).toBe('');
    expect(answer.headers['allow']).toBe('POST');
  });

  it('without a route outside the roots has a JSON message', async () => {
    const unknown = await ada.get('/plain/unknown');
    const wrongVerb = await ada.post('/plain');

    expect(unknown.status).toBe(404);
    expect(unknown.json).toEqual({ message: 'Cannot GET /plain/unknown' });
    expect(wrongVerb.status).toBe(404);
  });

  it('may begin with /index.php and have double slashes', async () => {
    const answer = await ada.get('//index.php//ocs/v2.php/apps/trial/number?format=json');

    expect(answer.json).toMatchObject({ ocs: { data: 1 } });
  });

  it('may be public, ignoring credentials', async () => {
    const wrong = platform.as({ userId: 'ada', password: 'wrong' });

    expect((await stranger.get(`${V2}/open`)).status).toBe(200);
    expect((await wrong.get(`${V2}/open`)).status).toBe(200);
  });
});

describe('cloud/user', () => {
  it('describes the caller, with both spellings of the display name', async () => {
    const answer = await ada.get('/ocs/v2.php/cloud/user?format=json');

    expect(answer.json).toMatchObject({
      ocs: {
        data: {
          id: 'ada',
          enabled: true,
          displayname: 'Ada <L> & Co',
          'display-name': 'Ada <L> & Co',
          email: null,
          groups: [],
          quota: { quota: -3 },
          language: 'en',
          lastLogin: expect.any(Number),
        },
      },
    });
  });

  it('has every key that programs require', async () => {
    const answer = await ada.get('/ocs/v2.php/cloud/user?format=json');
    const { data } = (answer.json as { ocs: { data: Record<string, unknown> } }).ocs;

    for (const key of 'phone address website twitter fediverse organisation role headline biography backend locale manager storageLocation'.split(
      ' ',
    )) {
      expect([key, typeof data[key]]).toEqual([key, 'string']);
    }
    expect(data).toMatchObject({
      additional_mail: [],
      subadmin: [],
      notify_email: null,
      profile_enabled: '1',
      backendCapabilities: { setDisplayName: true, setPassword: true },
    });
    expect((await ada.get('/ocs/v2.php/cloud/user/fields?format=json')).json).toMatchObject({
      ocs: { data: ['displayname', 'email', 'password'] },
    });
  });

  it('lists administrators in the group admin', async () => {
    const admin = platform.as({ userId: 'admin', password: 'of the administrator' });

    expect((await admin.get('/ocs/v2.php/cloud/user?format=json')).json).toMatchObject({
      ocs: { data: { groups: ['admin'] } },
    });
  });
});

describe('cloud/users/{id}', () => {
  it('responds in XML by default', async () => {
    const answer = await ada.get('/ocs/v1.php/cloud/users/ada', {
      headers: { 'ocs-apirequest': 'true' },
    });

    expect(answer.status).toBe(200);
    expect(answer.text).toContain('<displayname>Ada &lt;L&gt; &amp; Co</displayname>');
    expect(answer.text).toContain('<id>ada</id>');
  });

  it('describes others to an administrator', async () => {
    const admin = platform.as({ userId: 'admin', password: 'of the administrator' });
    const found = await admin.get('/ocs/v2.php/cloud/users/ada?format=json');
    const missing = await admin.get('/ocs/v2.php/cloud/users/nobody?format=json');

    expect(found.json).toMatchObject({ ocs: { data: { id: 'ada' } } });
    expect(missing.status).toBe(404);
    expect(meta(missing)).toMatchObject({ statuscode: 404, message: 'User does not exist' });
  });

  it('does not reveal to others whether a user exists', async () => {
    const existing = await ada.get('/ocs/v2.php/cloud/users/admin?format=json');
    const missing = await ada.get('/ocs/v2.php/cloud/users/nobody?format=json');

    expect(existing.status).toBe(404);
    expect(existing.text).toBe(missing.text);
  });

  it('requires credentials', async () => {
    expect((await stranger.get('/ocs/v1.php/cloud/users/ada')).status).toBe(401);
  });
});

describe('cloud/capabilities', () => {
  const path = '/ocs/v1.php/cloud/capabilities?format=json';

  it('publishes the version, with every key that external apps require', async () => {
    const answer = await stranger.get(path);

    expect(answer.json).toMatchObject({
      ocs: {
        data: {
          version: {
            major: 33,
            minor: expect.any(Number),
            micro: expect.any(Number),
            string: expect.stringMatching(/^33\.\d+\.\d+$/),
            edition: '',
            extendedSupport: false,
          },
          capabilities: {
            core: { pollinterval: 60 },
            theming: {
              name: 'Gatefold',
              url: expect.any(String),
              slogan: expect.any(String),
              logo: expect.stringMatching(/^http.*\/core\/img\/app\.svg$/),
            },
          },
        },
      },
    });
  });

  it('shows contributions of rooms, more of them to users', async () => {
    const { Capabilities } = await import('../../src/common/ports/capabilities.js');
    platform.get(Capabilities).contribute((account) => ({
      trial: account === undefined ? { version: '1' } : { version: '1', seenBy: account.userId },
    }));

    expect((await stranger.get(path)).json).toMatchObject({
      ocs: { data: { capabilities: { core: {}, trial: { version: '1' } } } },
    });
    expect((await stranger.get(path)).text).not.toContain('seenBy');
    expect((await ada.get(path)).json).toMatchObject({
      ocs: { data: { capabilities: { trial: { seenBy: 'ada' } } } },
    });
  });

  it('rejects wrong credentials', async () => {
    const wrong = platform.as({ userId: 'ada', password: 'wrong' });

    expect((await wrong.get(path)).status).toBe(401);
  });
});

describe('status.php', () => {
  it('is public', async () => {
    const answer = await stranger.get('/status.php');

    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      installed: true,
      maintenance: false,
      needsDbUpgrade: false,
      version: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/),
      versionstring: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      edition: '',
      productname: 'Gatefold',
      extendedSupport: false,
    });
  });

  it('is also found with /index.php and double slashes', async () => {
    expect((await stranger.get('//index.php/status.php')).status).toBe(200);
  });
});
