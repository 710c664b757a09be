import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { TalkBotWebhooksService } from '../../src/app-api/bots/talk-bot-webhooks.service.js';
import { TalkBotsService, talkBotId } from '../../src/app-api/bots/talk-bots.service.js';
import {
  json,
  knowApp,
  startExternalApp,
  toOcs,
  type ExternalApp,
  type OcsAnswer,
} from '../support/external-app.js';
import { startApp, type TestApp } from '../support/start-app.js';

let app: TestApp;
let external: ExternalApp;
let secret: string;
beforeAll(async () => {
  app = await startApp({ GATEFOLD_RATE_LIMITS: 'on' });
  external = await startExternalApp(app, { appId: 'currency' });
  await knowApp(app, external);
  const bots = app.inside(TalkBotsService);
  const bot = { name: 'Currency', route: 'bot/convert', description: 'Converts' };
  ({ secret } = await bots.register('currency', bot));
  external.on('/bot/convert', json({}));
});
afterEach(() => app.database.query('delete from gateway_failure'));
afterAll(async () => {
  await external.close();
  await app.stop();
});

const RANDOM = 'r'.repeat(64);
// A body in a format that no JSON writer produces: the signature covers these bytes.
const BODY = '{ "type":"Create",  "object": {"content":"1 \\u20ac"} }';

const sign = (text: string, key = secret, random = RANDOM) =>
  createHmac('sha256', key).update(random).update(text).digest('hex');

async function webhook(
  path: string,
  signature: string,
  body = BODY,
  root = '/ocs/v2.php/apps/app_api/api/v1',
): Promise<OcsAnswer> {
  const answer = await app.asStranger().call('POST', `${root}/talk_proxy/${path}`, {
    body,
    query: { format: 'json' },
    headers: {
      'content-type': 'application/json',
      'x-nextcloud-talk-random': RANDOM,
      'x-nextcloud-talk-signature': signature,
      'x-nextcloud-talk-backend': 'https://chat.example/',
    },
  });
  return toOcs(answer);
}

const attempts = async () => {
  const [row] = await app.database.query<{ count: number }>(
    'select count(*)::int as count from gateway_failure',
  );
  return row?.count;
};

describe('POST talk_proxy/{appid}/{route}', () => {
  it('[G107] forwards a signed message to the app, byte by byte', async () => {
    const before = external.requests('/bot/convert').length;

    const { httpStatus, statuscode } = await webhook('currency/bot/convert', sign(BODY));

    expect([httpStatus, statuscode]).toEqual([200, 200]);
    const received = await external.received('/bot/convert', before + 1);
    expect(received).toMatchObject({ method: 'POST', userId: '', authenticated: true });
    expect(received.body.toString()).toBe(BODY);
    expect(received.headers).toMatchObject({
      'content-type': 'application/json',
      'x-nextcloud-talk-random': RANDOM,
      'x-nextcloud-talk-signature': sign(BODY),
      'x-nextcloud-talk-backend': 'https://chat.example/',
    });
  });

  it.each([
    ['a signature by another secret', 'currency/bot/convert', () => sign(BODY, 'other')],
    ['a signature of other bytes', 'currency/bot/convert', () => sign(JSON.stringify({}))],
    ['no signature', 'currency/bot/convert', () => ''],
    ['an unknown bot', 'currency/bot/other', () => sign(BODY)],
    ['an unknown app', 'nobody/bot/convert', () => sign(BODY)],
  ])('[G107] answers 404 to %s, and counts the attempt', async (_what, path, signature) => {
    const before = external.requests('/bot/convert').length;

    const { httpStatus, statuscode } = await webhook(path, signature());

    expect([httpStatus, statuscode]).toEqual([404, 404]);
    expect(external.requests('/bot/convert')).toHaveLength(before);
    expect(await attempts()).toBe(1);
  });

  it('rejects wrong signatures with 429 after a hundred, and never a correct one', async () => {
    await app.database.query(
      `insert into gateway_failure (network, failed_at)
       select '127.0.0.1', now() from generate_series(1, 101)`,
    );

    expect((await webhook('currency/bot/convert', sign(BODY, 'other'))).httpStatus).toBe(429);
    expect((await webhook('currency/bot/convert', sign(BODY))).httpStatus).toBe(200);
  });

  it.each(['/ocs/v1.php/apps/app_api/api/v1', '/apps/app_api/api/v1'])(
    'is also available below %s',
    async (root) => {
      const { statuscode } = await webhook('currency/bot/convert', sign(BODY), BODY, root);

      expect(statuscode).toBe(100);
    },
  );

  it('answers 500 if the app cannot be reached, and accepts any response', async () => {
    const down = await startExternalApp(app, { appId: 'down' });
    await knowApp(app, down);
    const bot = { name: 'Down', route: 'bot', description: '' };
    const key = (await app.inside(TalkBotsService).register('down', bot)).secret;

    expect((await webhook('down/bot', sign(BODY, key))).statuscode).toBe(200);
    await down.close();

    const refused = await webhook('down/bot', sign(BODY, key));
    expect(refused.httpStatus).toBe(500);
    expect(refused.message).not.toContain('http');
  });
});

describe('chat bots, for a conversation', () => {
  const chatBots = () => app.inside(TalkBotWebhooksService);

  it('are those of enabled apps', async () => {
    const disabled = await startExternalApp(app, { appId: 'disabled' });
    await knowApp(app, disabled, false);
    const bot = { name: 'Disabled', route: 'bot', description: '' };
    await app.inside(TalkBotsService).register('disabled', bot);

    const names = (await chatBots().list()).map(({ name }) => name);

    expect(names).toContain('Currency');
    expect(names).not.toContain('Disabled');
    await disabled.close();
  });

  it('receive messages with a signature', async () => {
    const before = external.requests('/bot/convert').length;

    const delivered = await chatBots().deliver(talkBotId('currency', 'bot/convert'), { text: 'ä' });

    const { body, headers, authenticated } = await external.received('/bot/convert', before + 1);
    const random = String(headers['x-nextcloud-talk-random']);
    expect(delivered).toBe('delivered');
    expect(authenticated).toBe(true);
    expect(JSON.parse(body.toString())).toEqual({ text: 'ä' });
    expect(headers['x-nextcloud-talk-signature']).toBe(sign(body.toString(), secret, random));
    expect(random.length).toBeGreaterThanOrEqual(32);
  });

  it('are reported as missing', async () => {
    expect(await chatBots().deliver('unknown', {})).toBe('unknown-bot');
  });

  it('report that their app fails or cannot be reached', async () => {
    const failing = await startExternalApp(app, { appId: 'failing' });
    await knowApp(app, failing);
    const bot = { name: 'Failing', route: 'bot', description: '' };
    await app.inside(TalkBotsService).register('failing', bot);
    const deliver = () => chatBots().deliver(talkBotId('failing', 'bot'), {});

    failing.on('/bot', json({}, 400));
    expect(await deliver()).toBe('delivered');
    failing.on('/bot', json({}, 500));
    expect(await deliver()).toBe('failed');
    await failing.close();
    expect(await deliver()).toBe('unreachable');
  });

  it('are identified by their signature', async () => {
    const signature = { random: RANDOM, signature: sign('1 € = 1 €') };

    expect(await chatBots().author('1 € = 1 €', signature)).toMatchObject({ appId: 'currency' });
    expect(await chatBots().author('1 € = 2 €', signature)).toBeNull();
  });
});
