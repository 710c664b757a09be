import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TOTP } from 'otpauth';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { SecondFactorsService } from '../../../src/platform/sign-in/second-factor/second-factors.service.js';
import { ApiClient } from '../../support/api-client.js';
import { EventListener } from '../../support/event-listener.js';
import { startApp, type TestApp, type TestUser } from '../../support/start-app.js';

/* Programs of every API, when their user sets up a second factor. */

const SENTENCE = 'This account has a second factor. Programs need an app password';

const REQUESTS: readonly (readonly [what: string, method: string, path: string, right: number])[] =
  [
    ['the feed reader API', 'GET', '/index.php/apps/news/api/v1-3/folders', 200],
    ['WebDAV', 'PROPFIND', '/remote.php/dav/files/ada/', 207],
    ['the account', 'GET', '/ocs/v2.php/cloud/user', 200],
    ['chat', 'GET', '/ocs/v2.php/apps/spreed/api/v4/room', 200],
  ];

let app: TestApp;
let ada: TestUser;
let phone: ApiClient;
/** A token that a program got for the account password before. */
let tokenOfBefore: string;
/** Changes of feeds, as a program with the account password receives them. */
let streamOfBefore: EventListener;

const clientLogin = (password: string) =>
  new ApiClient(app.url).get('/accounts/ClientLogin', {
    query: { Email: 'ada', Passwd: password },
  });

beforeAll(async () => {
  app = await startApp();
  ada = await app.signInOnce('ada');
  const { token } = await app.inside(AppPasswordsService).add('ada', 'phone');
  phone = new ApiClient(app.url, { userId: 'ada', password: token });
  tokenOfBefore =
    /^Auth=(\S+)$/m.exec((await clientLogin(ada.credentials.password)).text)?.[1] ?? '';
  // Remembered for the next two seconds, where routes allow it.
  for (const [what, method, path, right] of REQUESTS) {
    const { status } = await ada.call(method, path);
    if (status !== right) {
      throw new Error(`${what}: ${status} before there was a second factor`);
    }
  }
  streamOfBefore = await EventListener.open(
    `${app.url}/index.php/apps/news/api/v1-3/events`,
    ada.credentials,
  );
  const factors = app.inside(SecondFactorsService);
  const { secret } = await factors.beginTotp('ada');
  await factors.confirmTotp('ada', new TOTP({ secret }).generate());
});

afterAll(() => app?.stop());

it.each(REQUESTS)('%s: the account password is refused at once', async (_what, method, path) => {
  const { status, text } = await ada.call(method, path);

  expect(status).toBe(401);
  expect(text).toContain(SENTENCE);
});

it.each(REQUESTS)('%s: an app password is accepted', async (_what, method, path, right) => {
  expect((await phone.call(method, path)).status).toBe(right);
});

it('the stream of changes of feeds: one with the account password ends', async () => {
  expect(streamOfBefore.response.statusCode).toBe(200);

  await streamOfBefore.ended();
});

it('the Google Reader API: no new token for the account password; one of before is valid', async () => {
  const refused = await clientLogin(ada.credentials.password);
  expect([refused.status, refused.text.includes(SENTENCE)]).toEqual([401, true]);
  expect((await clientLogin(phone.credentials?.password ?? '')).status).toBe(200);

  const answer = await new ApiClient(app.url).get('/reader/api/0/user-info', {
    headers: { authorization: `GoogleLogin auth=${tokenOfBefore}` },
  });

  expect(answer.status).toBe(200);
});
