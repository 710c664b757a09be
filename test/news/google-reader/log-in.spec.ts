import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Config } from '../../../src/common/config/config.js';
import { ApiClient, basic, type Answer } from '../../support/api-client.js';
import { formOf, GoogleReaderClient, logIn } from '../../support/google-reader-client.js';
import { serviceAndPublisher } from '../../support/service-and-publisher.js';
import { startApp, type TestUser } from '../../support/start-app.js';

const { app } = await serviceAndPublisher({ GATEFOLD_RATE_LIMITS: 'on' });
const API = '/reader/api/0';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let ada: TestUser;
let stranger: ApiClient;
beforeAll(() => {
  stranger = app.asStranger();
});
beforeEach(async () => {
  ada = await app.signIn();
});

const fieldsOf = ({ credentials }: TestUser): [string, string][] => [
  ['Email', credentials.userId],
  ['Passwd', credentials.password],
];
const tokenIn = ({ text }: Answer): string => /^Auth=(\S+)$/m.exec(text)?.[1] ?? '';
const withToken = (authorization: string, path = `${API}/user-info`) =>
  stranger.get(path, { headers: { authorization } });
const postAt = (path: string, body: string | Buffer, headers: Record<string, string> = FORM) =>
  stranger.call('POST', path, { body, headers });
const appPasswords = async (user: TestUser) => {
  const answer = await user.get('/ocs/v2.php/core/apppasswords?format=json', {
    headers: { 'ocs-apirequest': 'true' },
  });
  const { ocs } = answer.json as { ocs: { data: { id: number; name: string }[] } };
  return ocs.data;
};

describe('the addresses', () => {
  const isAnswered = async (root: string, baseUrl = app.url) => {
    const client = new ApiClient(baseUrl);
    const answer = await client.call('POST', `${root}/accounts/ClientLogin`, {
      body: formOf(fieldsOf(ada)),
      headers: FORM,
    });
    const authorization = `GoogleLogin auth=${tokenIn(answer)}`;
    return (await client.get(`${root}${API}/user-info`, { headers: { authorization } })).status;
  };

  it('are those below the root, for "Google Reader" and "Miniflux"', async () => {
    expect(await isAnswered('')).toBe(200);
  });

  it('are also those that account types named FreshRSS append', async () => {
    expect(await isAnswered('/api/greader.php')).toBe(200);
  });

  it('are also those that these append where the address ends with it already', async () => {
    expect(await isAnswered('/api/greader.php/api/greader.php')).toBe(200);
  });

  it('may have doubled slashes: NetNewsWire joins a base with a slash', async () => {
    expect(await isAnswered('/')).toBe(200);
    expect(await isAnswered('/api/greader.php/')).toBe(200);
  });

  it('also include the log-in below the API', async () => {
    expect((await postAt(`${API}/accounts/ClientLogin`, formOf(fieldsOf(ada)))).status).toBe(200);
  });

  it.each(['/api/greader.php', '/api/greader.php/'])(
    'answer OK to people who open %s in a browser',
    async (path) => {
      const answer = await stranger.get(path);

      expect([answer.status, answer.text]).toEqual([200, 'OK']);
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    },
  );

  it('answer PASS to the check of FreshRSS', async () => {
    const { token } = await GoogleReaderClient.of(ada);
    const path = '/api/greader.php/check/compatibility';

    expect((await withToken(`GoogleLogin auth=${token}`, path)).text).toBe('PASS');
    expect((await stranger.get(path)).status).toBe(401);
  });

  it('answer 404 with a text to routes that are not there', async () => {
    const reader = await GoogleReaderClient.of(ada);

    for (const answer of [await reader.get('nonsense/at/all'), await reader.post('stream/x')]) {
      expect(answer.status).toBe(404);
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    }
  });

  it('include the path prefix of the public address', async () => {
    const prefixed = await startApp({ GATEFOLD_BASE_URL: 'https://cloud.example/next/' });
    try {
      ada = await prefixed.signIn();

      expect(await isAnswered('/next', prefixed.url)).toBe(200);
      expect(await isAnswered('/next/api/greader.php', prefixed.url)).toBe(200);
      expect(await isAnswered('', prefixed.url)).toBe(200);
    } finally {
      await prefixed.stop();
    }
  });
});

describe('ClientLogin', () => {
  it('answers three lines of text, with LF at their ends', async () => {
    const answer = await logIn(ada);

    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.text).toMatch(/^SID=\S+\nLSID=\S+\nAuth=\S+\n$/);
  });

  it('gives a token without "=" and blanks, at which clients split the line', async () => {
    expect(tokenIn(await logIn(ada))).toMatch(/^[\w-]+$/);
  });

  it('answers JSON for output=json', async () => {
    const fields: [string, string][] = [...fieldsOf(ada), ['output', 'json']];
    const answer = await postAt('/accounts/ClientLogin', formOf(fields));

    const token = expect.stringMatching(/^[\w-]+$/);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.json).toEqual({ SID: token, LSID: token, Auth: token });
  });

  it('reads the query, by GET and by POST, and ignores other parameters', async () => {
    const query = formOf([
      ...fieldsOf(ada),
      ['accountType', 'HOSTED_OR_GOOGLE'],
      ['service', 'reader'],
      ['continue', 'https://www.google.com/'],
    ]);

    expect(tokenIn(await stranger.get(`/accounts/ClientLogin?${query}`))).not.toBe('');
    expect(tokenIn(await postAt(`/accounts/ClientLogin?${query}`, '', {}))).not.toBe('');
  });

  it('reads multipart/form-data, as Readrops sends it', async () => {
    const boundary = '2f7b1c54-5c9f-4e0f-8f64-0d3fb5b7a8c1';
    const parts = fieldsOf(ada).map(
      ([name, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n` +
        `Content-Length: ${Buffer.byteLength(value)}\r\n\r\n${value}\r\n`,
    );
    const answer = await postAt('/accounts/ClientLogin', `${parts.join('')}--${boundary}--\r\n`, {
      'content-type': `multipart/form-data; boundary=${boundary}`,
    });

    expect(tokenIn(answer)).not.toBe('');
  });

  it('reads a form without a content type', async () => {
    expect(tokenIn(await postAt('/accounts/ClientLogin', formOf(fieldsOf(ada)), {}))).not.toBe('');
  });

  it.each([
    [
      'a wrong password',
      () => [
        ['Email', ada.credentials.userId],
        ['Passwd', 'wrong'],
      ],
    ],
    [
      'an unknown user',
      () => [
        ['Email', 'nobody'],
        ['Passwd', 'wrong'],
      ],
    ],
    ['no password', () => [['Email', ada.credentials.userId]]],
    ['nothing', () => []],
  ])('answers %s with 401 and the words of Google', async (_case, fields) => {
    const answer = await postAt('/accounts/ClientLogin', formOf(fields() as [string, string][]));

    expect(answer.status).toBe(401);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.text).toBe('Error=BadAuthentication\n');
  });

  it('answers a broken multipart form with 400', async () => {
    const answer = await postAt('/accounts/ClientLogin', 'nonsense', {
      'content-type': 'multipart/form-data; boundary=x',
    });

    expect(answer.status).toBe(400);
  });

  it('refuses a large body with 413', async () => {
    const answer = await postAt('/accounts/ClientLogin', `Email=${'x'.repeat(20_000)}`);

    expect(answer.status).toBe(413);
  });

  it('refuses a compressed body', async () => {
    const headers = { ...FORM, 'content-encoding': 'gzip' };

    expect((await postAt('/accounts/ClientLogin', 'x', headers)).status).toBe(415);
  });

  it('gives an app password back as the token', async () => {
    const token = tokenIn(await logIn(ada));
    const credentials = { ...ada.credentials, password: token };

    expect(tokenIn(await logIn(Object.assign(new ApiClient(app.url), { credentials })))).toBe(
      token,
    );
  });

  it('names the app password after the user agent', async () => {
    await logIn(ada, { 'user-agent': 'NetNewsWire (RSS Reader; https://netnewswire.com/)' });

    expect((await appPasswords(ada)).map(({ name }) => name)).toEqual([
      'NetNewsWire (RSS Reader; https://netnewswire.com/)',
    ]);
  });

  it.each(['okhttp/4.12.0', 'Dart/3.2 (dart:io)', 'CFNetwork/1410.0.3 Darwin/22.6.0'])(
    'names it after "client" or "source" where the user agent is only a library: %s',
    async (agent) => {
      const headers = { ...FORM, 'user-agent': agent };
      const named = (name: string, value: string) =>
        postAt('/accounts/ClientLogin', formOf([...fieldsOf(ada), [name, value]]), headers);
      await named('client', 'Zeitung für Bücher');
      await named('source', 'Tide');

      const names = (await appPasswords(ada)).map(({ name }) => name);
      expect(names.toSorted()).toEqual(['Tide', 'Zeitung für Bücher']);
    },
  );

  it('answers 403 with a sentence when the user has too many app passwords', async () => {
    const { limits } = app.inside(Config);
    const most = limits['app-passwords-per-user'];
    expect((await logIn(ada, { 'user-agent': 'Reeder' })).status).toBe(200);

    Object.assign(limits, { 'app-passwords-per-user': 1 });
    const answer = await logIn(ada, { 'user-agent': 'FeedMe' }).finally(() =>
      Object.assign(limits, { 'app-passwords-per-user': most }),
    );

    expect(answer.status).toBe(403);
    expect(answer.text).toMatch(/^This installation allows at most 1 app passwords per user/);
  });

  it('answers 429 with Retry-After while an address is blocked', async () => {
    const guess = (n: number) =>
      logIn(
        Object.assign(new ApiClient(app.url), {
          credentials: { ...ada.credentials, password: `guess ${n}` },
        }),
      );
    let answer = await guess(0);
    for (let n = 1; n < 50 && answer.status === 401; n += 1) {
      answer = await guess(n);
    }

    expect(answer.status).toBe(429);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    await app.database.query('truncate login_throttle');
  });
});

describe('a token', () => {
  it.each(['GoogleLogin auth=', 'googlelogin AUTH=', 'GoogleLogin  auth = '])(
    'is accepted in the header %s',
    async (start) => {
      const { token } = await GoogleReaderClient.of(ada);

      expect((await withToken(start + token)).status).toBe(200);
    },
  );

  it('is needed: 401 with a text otherwise', async () => {
    const { token } = await GoogleReaderClient.of(ada);
    const refused = [
      await stranger.get(`${API}/user-info`),
      await withToken('GoogleLogin auth=wrong'),
      await withToken(`Bearer ${token}`),
      await withToken(basic(ada.credentials)),
      await stranger.get(`${API}/user-info`, { headers: { cookie: `SID=${token}` } }),
    ];

    for (const answer of refused) {
      expect([answer.status, answer.text]).toEqual([401, 'Unauthorized']);
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
      expect(answer.headers['www-authenticate']).toMatch(/^GoogleLogin /);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });

  describe('as T, the only place where Liferea 1.14 sends it for contents', () => {
    const contents = `${API}/stream/items/contents`;
    const bodyWith = (token: string) => `output=json&mediaRss=true&T=${token}&i=1000000000000001`;

    it('reads named items', async () => {
      const { token } = await GoogleReaderClient.of(ada);
      const answer = await postAt(contents, bodyWith(token));

      expect([answer.status, answer.json]).toMatchObject([200, { items: [] }]);
    });

    it('is refused for a wrong token, an account password, and the edit token', async () => {
      const reader = await GoogleReaderClient.of(ada);
      const edit = (await reader.get('token')).text;

      for (const wrong of ['wrong', ada.credentials.password, edit, '']) {
        expect((await postAt(contents, bodyWith(wrong))).status).toBe(401);
      }
    });

    it('is refused in the query, beside another header, and by every other route', async () => {
      const { token } = await GoogleReaderClient.of(ada);
      const refused = [
        await postAt(`${contents}?T=${token}`, 'i=1000000000000001'),
        await postAt(`${contents}?T=${token}`, bodyWith(token)),
        await postAt(contents, bodyWith(token), { ...FORM, authorization: 'GoogleLogin auth=x' }),
        await stranger.get(`${contents}?T=${token}`),
        await postAt(`${API}/edit-tag`, formOf([['T', token]])),
        await postAt(`${API}/mark-all-as-read`, formOf([['T', token]])),
        await postAt(`${API}/subscription/edit`, formOf([['T', token]])),
      ];

      expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 401));
    });

    it('is not looked for in a form beyond 16 KiB', async () => {
      const { token } = await GoogleReaderClient.of(ada);
      const answer = await postAt(contents, `${bodyWith(token)}&${'x'.repeat(16 * 1024)}`);

      expect(answer.status).toBe(413);
    });
  });

  it('ends at once when its app password is revoked', async () => {
    const { token } = await GoogleReaderClient.of(ada);
    expect((await withToken(`GoogleLogin auth=${token}`)).status).toBe(200);

    const [appPassword] = await appPasswords(ada);
    await ada.call('DELETE', `/ocs/v2.php/core/apppasswords/${appPassword?.id}?format=json`, {
      headers: { 'ocs-apirequest': 'true' },
    });

    expect((await withToken(`GoogleLogin auth=${token}`)).status).toBe(401);
    expect((await postAt(`${API}/stream/items/contents`, `T=${token}&i=1`)).status).toBe(401);
    const again = tokenIn(await logIn(ada, { 'user-agent': 'Reeder/5.4' }));
    expect(again).not.toBe(token);
  });

  it('is stable: a client that logs in on each start gets the same', async () => {
    const first = await GoogleReaderClient.of(ada);

    expect((await GoogleReaderClient.of(ada)).token).toBe(first.token);
  });
});

describe('the edit token', () => {
  it('has 57 characters, no line end, and is not the secret', async () => {
    const reader = await GoogleReaderClient.of(ada);
    const answer = await reader.get('token');

    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.text).toMatch(/^\w{57}$/);
    expect(answer.text).not.toContain(reader.token);
    expect((await withToken(`GoogleLogin auth=${answer.text}`)).status).toBe(401);
  });

  it('is not checked: missing, "x", old, or the token itself', async () => {
    const reader = await GoogleReaderClient.of(ada);
    const answers = [
      await reader.post('edit-tag'),
      await reader.post('edit-tag', [['T', '']]),
      await reader.post('edit-tag', [['T', 'x']]),
      await reader.post('edit-tag', [['T', reader.token]]),
      await reader.post('edit-tag', [['T', `${(await reader.get('token')).text}\n`]]),
    ];

    expect(answers.map(({ text }) => text)).toEqual(['OK', 'OK', 'OK', 'OK', 'OK']);
  });
});

describe('user-info', () => {
  it('has four texts', async () => {
    const { userId } = ada.credentials;
    const { json } = await (await GoogleReaderClient.of(ada)).get('user-info');

    expect(json).toEqual({ userId, userName: userId, userProfileId: userId, userEmail: '' });
  });
});

describe('lists of Google that are empty here', () => {
  it.each([
    ['preference/list', { prefs: [] }],
    ['preference/stream/list', { streamprefs: {} }],
    ['friend/list', { friends: [] }],
  ])('%s', async (path, expected) => {
    const reader = await GoogleReaderClient.of(ada);

    expect((await reader.get(path, [['output', 'json']])).json).toEqual(expected);
  });
});

describe('clients in browsers', () => {
  const origin = 'https://reader.example';

  it.each([
    '/accounts/ClientLogin',
    `${API}/stream/items/ids`,
    `/api/greader.php${API}/edit-tag`,
    '/reader/atom/x',
  ])(
    'may call %s from any origin, with the header Authorization and without cookies',
    async (path) => {
      const answer = await stranger.call('OPTIONS', path, { headers: { origin } });

      expect(answer.status).toBe(200);
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
      expect(answer.headers['access-control-allow-headers']).toMatch(/\bAuthorization\b/);
      expect(answer.headers['access-control-allow-methods']).toMatch(/\bPOST\b.*\bGET\b/);
      expect(answer.headers['access-control-allow-credentials']).not.toBe('true');
    },
  );

  it('can read answers, also those of errors', async () => {
    const { token } = await GoogleReaderClient.of(ada);
    const headers = { origin, authorization: `GoogleLogin auth=${token}` };
    const answers = [
      await stranger.get(`${API}/user-info`, { headers }),
      await stranger.get(`${API}/user-info`, { headers: { origin } }),
      await stranger.get(`${API}/nonsense`, { headers }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404]);
    for (const answer of answers) {
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
    }
  });

  it.each(['not an origin', 'https://x.example/path', `https://${'x'.repeat(9000)}`])(
    'repeats nothing that is no origin: %.20s',
    async (origin) => {
      const answer = await app.asStranger().get('/accounts/ClientLogin', { headers: { origin } });

      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    },
  );
});
