import fc from 'fast-check';
import { startApp } from '../../../test/support/start-app.js';
import { answerOf } from '../answer-of.js';
import { hostileText } from '../hostile-values.js';
import type { Target } from '../target.js';

const NAMES = [
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'authorization-app-api',
  'content-encoding',
  'content-type',
  'cookie',
  'ex-app-id',
  'ex-app-version',
  'expect',
  'forwarded',
  'if-modified-since',
  'if-none-match',
  'last-event-id',
  'ocs-apirequest',
  'origin',
  'range',
  'referer',
  'requesttoken',
  'sec-fetch-site',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-http-method-override',
  'x-request-id',
];

const value = fc.oneof(
  hostileText,
  fc.constantFrom(
    'Basic',
    'Basic ====',
    `Basic ${Buffer.from('\0:\0').toString('base64')}`,
    `Basic ${Buffer.from('no colon').toString('base64')}`,
    'Bearer x.y.z',
    'GoogleLogin auth=x/y',
    'gatefold_session=%00; gatefold_session=; =;;',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary="x',
    'application/json; charset=utf-7',
    'application/x-www-form-urlencoded; charset=utf-16',
    'text/xml',
    'gzip, deflate, br, identity;q=0, *;q=0',
    'de;q=x, *;q=-1, zz-',
    '127.0.0.1, ::1, unknown, "[::1]:x"',
    'for=_hidden;proto=https;host="x',
    'null',
    'W/"',
    'bytes=-',
    'true',
  ),
);

const PATHS = [
  '/',
  '/login',
  '/health/ready',
  '/status.php',
  '/index.php/apps/news/api/v1-3/items?type=3',
  '/index.php/apps/news/api/v1-3/feeds',
  '/ocs/v1.php/cloud/capabilities',
  '/ocs/v2.php/cloud/user?format=json',
  '/ocs/v2.php/apps/app_api/api/v1/info/nextcloud_url/absolute',
  '/accounts/ClientLogin',
  '/reader/api/0/tag/list?output=json',
  '/fever/?api',
  '/remote.php/dav/files/ada/',
  '/exapps/none/',
  '/no/such/address',
  '/apps/news',
  '/index.php/login/v2',
];

/** Any headers at any kind of address are answered with a status below 500. */
export const headersTarget: Target = {
  name: 'headers',
  smokeRuns: 400,
  async open() {
    const app = await startApp({ GATEFOLD_TRUSTED_PROXIES: '127.0.0.0/8' });
    const clients = [await app.signInOnce('ada'), app.asStranger()] as const;
    const request = fc.record({
      client: fc.constantFrom(...clients),
      method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE'),
      path: fc.constantFrom(...PATHS),
      headers: fc.dictionary(fc.constantFrom(...NAMES), value, { minKeys: 1, maxKeys: 5 }),
      body: fc.option(hostileText, { nil: undefined }),
    });
    const property = fc.asyncProperty(request, async ({ client, method, path, headers, body }) => {
      const { status, text } = await answerOf(() =>
        client.call(method, path, { headers, ...(body === undefined ? {} : { body }) }),
      );
      if (status === 500) {
        throw new Error(`${method} ${path}: ${text}`);
      }
    });
    return { property, close: () => app.stop() };
  },
};
