import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHmac, randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { ExAppsRepository } from '../../../src/app-api/apps/ex-apps.repository.js';
import { LifecycleService } from '../../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { JobQueue } from '../../../src/database/jobs/job-queue.js';
import { ApiClient } from '../../support/api-client.js';
import { Chatter, type Room } from '../../support/chatter.js';
import {
  json,
  knowApp,
  startExternalApp,
  toOcs,
  type ExternalApp,
  type OcsAnswer,
  type ReceivedRequest,
} from '../../support/external-app.js';
import { itLong } from '../../support/long.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { createTestDatabase } from '../../support/test-database.js';
import { until } from '../../support/until.js';

const WEBHOOK = '/currency';

let app: TestApp;
let ada: Chatter;
let bob: Chatter;
let external: ExternalApp;
let bot: Bot;
let token: string;

beforeAll(async () => {
  app = await startApp({ GATEFOLD_RATE_LIMITS: 'on' });
  ada = new Chatter(await app.signInOnce('ada'));
  bob = new Chatter(await app.signInOnce('bob'));
});
afterAll(() => app.stop());

beforeEach(async () => {
  external = await startExternalApp(app, { appId: 'money' });
  await knowApp(app, external);
  external.on(WEBHOOK, json({}));
  bot = await aBot(app, external);
  token = await ada.group('Money', 'bob');
});
afterEach(async () => {
  await external.close();
  await endDeliveries();
  await app.database.query(`delete from ex_app`);
  await app.database.query(`delete from chat_bot`);
  await app.database.query('delete from gateway_failure');
});

/** Deliveries to a bot of one spec must not reach the bot of the next. */
async function endDeliveries(): Promise<void> {
  await until('the end of the deliveries to bots', async () => {
    await app.database.query(
      `delete from job.job where name like 'chat-bot-webhook%' and state <> 'active'`,
    );
    const active = await app.database.query(
      `select from job.job where name like 'chat-bot-webhook%' limit 1`,
    );
    return active.length === 0;
  });
}

interface Bot {
  /** The number that clients use for it. */
  readonly id: number;
  readonly secret: string;
}

interface Activity {
  readonly type: string;
  readonly actor: { readonly type: string; readonly id: string; readonly name: string };
  readonly object: {
    readonly type: string;
    readonly id: string;
    readonly name: string;
    readonly content: string;
    readonly mediaType: string;
  };
  readonly target: { readonly id: string; readonly name: string };
  readonly content?: string;
}

async function aBot(at: TestApp, of: ExternalApp, name = 'Currency'): Promise<Bot> {
  const registered = await of.as().ocs('POST', '/api/v1/talk_bot', {
    json: { name, route: WEBHOOK, description: `${name} of ${of.appId}` },
  });
  const admin = new Chatter(at.asAdmin());
  const all = await admin.data<{ id: number; name: string }[]>('GET', 'v1/bot/admin');
  const found = all.find((one) => one.name === name);
  if (found === undefined) {
    throw new Error(`The bot ${name} is not there`);
  }
  return { id: found.id, secret: (registered.data as { secret: string }).secret };
}

const enable = (id = bot.id, where = token) => ada.call('POST', `v1/bot/${where}/${id}`);

const hmac = (text: string, random: string, secret = bot.secret) =>
  createHmac('sha256', secret).update(random).update(text).digest('hex');

/** A request of a bot, authenticated only by the signature over the text. */
async function signed(
  method: string,
  where: string,
  body: { readonly message?: string; readonly reaction?: string; readonly replyTo?: number },
  { signedText = body.message ?? body.reaction ?? '', secret = bot.secret } = {},
): Promise<OcsAnswer> {
  const random = randomBytes(32).toString('hex');
  return toOcs(
    await app.asStranger().call(method, `/ocs/v2.php/apps/spreed/api/v1/bot/${where}`, {
      json: body,
      headers: {
        accept: 'application/json',
        'ocs-apirequest': 'true',
        'x-nextcloud-talk-bot-random': random,
        'x-nextcloud-talk-bot-signature': hmac(signedText, random, secret),
      },
    }),
  );
}

const activityOf = ({ body }: ReceivedRequest) => JSON.parse(body.toString()) as Activity;

/** All deliveries to the bot, as soon as there are this many. */
async function told(count: number, of = external): Promise<Activity[]> {
  await of.received(WEBHOOK, count);
  return of.requests(WEBHOOK).map(activityOf);
}

const textOf = ({ object }: Activity) =>
  (JSON.parse(object.content) as { message: string }).message;

/** Makes the next retry due at once; waits until there is one. */
async function hurry(): Promise<void> {
  await until('a delivery to a bot that has failed', async () => {
    const rows = await app.database.query(
      `update job.job set start_after = now()
        where name = 'chat-bot-webhook' and state = 'retry' returning 1`,
    );
    return rows.length > 0;
  });
  await app.inside(JobQueue).poll();
}

describe('the list of bots', () => {
  it('lists all bots for moderators, and which of them are enabled', async () => {
    const { httpStatus } = await enable();

    expect(httpStatus).toBe(201);
    expect((await enable()).httpStatus).toBe(200);
    expect(await ada.data('GET', `v1/bot/${token}`)).toEqual([
      { id: bot.id, name: 'Currency', description: 'Currency of money', state: 1 },
    ]);
    expect((await bob.call('GET', `v1/bot/${token}`)).httpStatus).toBe(403);
    expect((await bob.call('POST', `v1/bot/${token}/${bot.id}`)).httpStatus).toBe(403);
    expect((await bob.call('DELETE', `v1/bot/${token}/${bot.id}`)).httpStatus).toBe(403);
  });

  it('of the whole installation is for administrators', async () => {
    expect((await ada.call('GET', 'v1/bot/admin')).httpStatus).toBe(403);
    expect(await new Chatter(app.asAdmin()).data('GET', 'v1/bot/admin')).toMatchObject([
      {
        id: bot.id,
        name: 'Currency',
        url: expect.stringMatching(/^http:.*\/api\/v1\/talk_proxy\/money\/currency$/),
        state: 1,
        error_count: 0,
        last_error_date: 0,
        last_error_message: null,
      },
    ]);
  });

  it('omits bots of disabled apps, and refuses to enable unknown ones', async () => {
    await app.inside(ExAppsRepository).setEnabled('money', false);

    expect(await ada.data('GET', `v1/bot/${token}`)).toEqual([]);
    expect((await enable()).httpStatus).toBe(400);
    expect((await enable(2 ** 40)).httpStatus).toBe(400);
  });
});

describe('a bot in a conversation', () => {
  it('receives messages, signed with its secret', async () => {
    await enable();
    const { id } = await ada.say(token, '5 € in @bob');

    const [joined, created] = await told(2);

    expect(joined).toEqual({
      type: 'Join',
      actor: { type: 'Application', id: expect.stringMatching(/^bots\/bot-/), name: 'Currency' },
      object: { type: 'Collection', id: token, name: 'Money' },
    });
    expect(created).toEqual({
      type: 'Create',
      actor: { type: 'Person', id: 'users/ada', name: 'ada', talkParticipantType: '1' },
      object: {
        type: 'Note',
        id: String(id),
        name: 'message',
        content: expect.any(String),
        mediaType: 'text/markdown',
      },
      target: { type: 'Collection', id: token, name: 'Money' },
    });
    expect(JSON.parse(created?.object.content ?? '')).toEqual({
      message: '5 € in {mention-user1}',
      parameters: { 'mention-user1': { type: 'user', id: 'bob', name: 'bob' } },
    });
    const { body, headers, authenticated } = await external.received(WEBHOOK, 2);
    expect(authenticated).toBe(true);
    expect(headers['x-nextcloud-talk-backend']).toBe(`${app.url}/`);
    expect(headers['x-nextcloud-talk-signature']).toBe(
      hmac(body.toString(), String(headers['x-nextcloud-talk-random'])),
    );
  });

  it('receives replies together with the message they reply to', async () => {
    await enable();
    const question = await ada.say(token, 'How much?');
    await bob.say(token, 'Five.', { replyTo: question.id });

    const [, , answer] = await told(3);

    expect(answer?.object).toMatchObject({
      inReplyTo: {
        actor: { type: 'Person', id: 'users/ada' },
        object: { id: String(question.id), content: '{"message":"How much?","parameters":{}}' },
      },
    });
  });

  it('receives reactions and their removal', async () => {
    await enable();
    const { id } = await ada.say(token, 'Deal?');
    await bob.data('POST', `v1/reaction/${token}/${id}`, { reaction: '👍' });
    await bob.data('DELETE', `v1/reaction/${token}/${id}`, { reaction: '👍' });

    const [, , like, undo] = await told(4);

    expect(like).toMatchObject({
      type: 'Like',
      actor: { id: 'users/bob' },
      object: { id: String(id), name: 'message' },
      target: { id: token },
      content: '👍',
    });
    expect(undo).toEqual({ type: 'Undo', actor: like?.actor, object: like, target: like?.target });
  });

  it('receives system messages of the conversation', async () => {
    await enable();
    await ada.data('PUT', `v4/room/${token}`, { roomName: 'Change' });

    const [, renamed] = await told(2);

    expect(renamed).toMatchObject({
      type: 'Activity',
      object: { name: 'conversation_renamed', mediaType: 'text/plain' },
      target: { name: 'Change' },
    });
  });

  it('sends messages, and does not receive its own', async () => {
    await enable();
    const question = await ada.say(token, 'Convert 5 €');

    const answer = await signed('POST', `${token}/message`, {
      message: 'That is 5,41 $, @ada ',
      replyTo: question.id,
    });
    const reaction = await signed('POST', `${token}/reaction/${question.id}`, { reaction: '💶' });
    await bob.say(token, 'Thanks');

    expect([answer.httpStatus, reaction.httpStatus]).toEqual([201, 201]);
    const [, , said] = await bob.history(token);
    expect(said).toMatchObject({
      actorType: 'bots',
      actorId: expect.stringMatching(/^bot-[0-9a-f]{40}$/),
      actorDisplayName: 'Currency',
      message: 'That is 5,41 $, {mention-user1}',
      parent: { id: question.id, reactions: { '💶': 1 } },
    });
    expect((await told(3)).map(({ type }) => type)).toEqual(['Join', 'Create', 'Create']);
    expect(textOf((await told(3))[2] as Activity)).toBe('Thanks');
    expect((await ada.room(token)).unreadMention).toBe(true);

    const removed = await signed('DELETE', `${token}/reaction/${question.id}`, { reaction: '💶' });
    expect(removed.httpStatus).toBe(200);
    expect((await bob.history(token)).find(({ id }) => id === question.id)?.reactions).toEqual({});
  });

  it('can be enabled in one-to-one conversations, named after both users', async () => {
    const room = await ada.data<Room>('POST', 'v4/room', { roomType: 1, invite: 'bob' });
    await enable(bot.id, room.token);

    expect((await told(1))[0]?.object).toMatchObject({ id: room.token, name: 'ada, bob' });
  });

  it('neither sends nor receives anything once it is removed', async () => {
    await enable();
    await told(1);
    external.on(WEBHOOK, json({}));
    const { httpStatus } = await ada.call('DELETE', `v1/bot/${token}/${bot.id}`);
    await ada.say(token, 'Are we alone?');

    expect(httpStatus).toBe(200);
    expect((await told(2))[1]).toMatchObject({ type: 'Leave', object: { id: token } });
    expect((await signed('POST', `${token}/message`, { message: 'No' })).httpStatus).toBe(401);

    await enable();
    expect((await told(3)).map(({ type }) => type)).toEqual(['Join', 'Leave', 'Join']);
  });

  it('receives Leave when the conversation is deleted', async () => {
    await enable();
    await ada.data('DELETE', `v4/room/${token}`);

    expect((await told(2))[1]).toMatchObject({ type: 'Leave', object: { id: token } });
  });
});

describe('a message of a bot', () => {
  it.each([
    ['another secret', { secret: 'other' }],
    ['other words', { signedText: 'Something else' }],
  ])('is rejected with %s, which counts as an attempt', async (_what, how) => {
    await enable();

    const { httpStatus } = await signed('POST', `${token}/message`, { message: 'Hi' }, how);

    expect(httpStatus).toBe(401);
    expect(await bob.heard(token)).toEqual([]);
    expect(await app.database.query('select 1 from gateway_failure')).toHaveLength(1);
  });

  it('is rejected in a conversation without the bot, as in an unknown one', async () => {
    const elsewhere = await ada.group('Elsewhere');
    await enable();

    const hidden = await signed('POST', `${elsewhere}/message`, { message: 'Hi' });
    const missing = await signed('POST', 'nowhere/message', { message: 'Hi' });

    expect(hidden).toEqual(missing);
    expect(hidden.httpStatus).toBe(401);
    expect(await app.database.query('select 1 from gateway_failure')).toEqual([]);
  });

  it('is rejected without a signature, even for a logged-in user', async () => {
    await enable();
    const path = `/ocs/v2.php/apps/spreed/api/v1/bot/${token}/message`;

    const user = await app.signInOnce('ada');
    expect((await user.post(path, { message: 'Hi' })).status).toBe(401);
    expect((await external.as('ada').call('POST', path, { json: { message: 'Hi' } })).status).toBe(
      401,
    );
  });

  it('is rejected for a while after too many wrong signatures, unless it is correct', async () => {
    await enable();
    await app.database.query(
      `insert into gateway_failure (network, failed_at)
       select '127.0.0.1', now() from generate_series(1, 101)`,
    );

    const forged = await signed('POST', `${token}/message`, { message: 'Hi' }, { secret: 'x' });
    expect(forged.httpStatus).toBe(429);
    expect((await signed('POST', `${token}/message`, { message: 'Hi' })).httpStatus).toBe(201);
  });

  it('is rejected if its app was disabled', async () => {
    await enable();
    await app.inside(ExAppsRepository).setEnabled('money', false);

    expect((await signed('POST', `${token}/message`, { message: 'Hi' })).httpStatus).toBe(401);
  });

  it('has the same limits as that of a user', async () => {
    await enable();
    const say = async (message: string, more: object = {}) =>
      (await signed('POST', `${token}/message`, { message, ...more })).httpStatus;

    expect(await say('  ')).toBe(400);
    expect(await say('x'.repeat(32_001))).toBe(413);
    expect(await say('Hi', { replyTo: 999_999_999 })).toBe(400);
    expect(
      (await signed('POST', `${token}/reaction/999999999`, { reaction: '👍' })).httpStatus,
    ).toBe(404);
  });
});

describe('a bot whose app is unregistered', () => {
  const unregister = () => app.inside(LifecycleService).unregister('money');

  async function comeBack(): Promise<Bot> {
    await knowApp(app, external);
    return aBot(app, external);
  }

  it('leaves its conversations, and receives nothing when the app is registered again', async () => {
    const second = await startExternalApp(app, { appId: 'weather' });
    await knowApp(app, second);
    second.on(WEBHOOK, json({}));
    const weather = await aBot(app, second, 'Weather');
    await enable();
    await enable(weather.id);
    await told(1);

    await unregister();
    const again = await comeBack();
    await ada.say(token, 'Still here?');
    await told(2, second);

    expect(external.requests(WEBHOOK)).toHaveLength(1);
    expect(await ada.data('GET', `v1/bot/${token}`)).toMatchObject([
      { id: again.id, state: 0 },
      { id: weather.id, state: 1 },
    ]);
    const answer = await signed(
      'POST',
      `${token}/message`,
      { message: 'Hi' },
      { secret: again.secret },
    );
    expect(answer.httpStatus).toBe(401);
    await second.close();
  });

  it('leaves them even if the app unregistered it before, as most apps do when disabled', async () => {
    await enable();
    await told(1);
    await external.as().ocs('DELETE', '/api/v1/talk_bot', { json: { route: WEBHOOK } });

    await unregister();
    const again = await comeBack();

    expect(await ada.data('GET', `v1/bot/${token}`)).toMatchObject([{ id: again.id, state: 0 }]);
  });

  it('deletes pending deliveries and dead letters', async () => {
    await enable();
    await told(1);
    external.on(WEBHOOK, json({}, 500));
    await ada.say(token, 'one');
    await external.received(WEBHOOK, 2);
    await app.database.query(
      `update job.job set created_on = now() - interval '25 hours' where name = 'chat-bot-webhook'`,
    );
    await hurry();
    await ada.say(token, 'two');
    await external.received(WEBHOOK, 4);
    const deliveries = (states: string) =>
      app.database.query(
        `select name, state from job.job where name like 'chat-bot-webhook%' and state ${states}`,
      );
    await until('no delivery under way', async () => (await deliveries(`= 'active'`)).length === 0);

    await unregister();

    expect(await deliveries(`< 'active'`)).toEqual([]);
  });
});

describe('a failing bot', () => {
  it('that hangs delays no user, and receives what it missed in order', async () => {
    await enable();
    await told(1);
    const released = Promise.withResolvers<void>();
    external.on(WEBHOOK, async (request, response) => {
      await released.promise;
      await json({})(request, response);
    });

    await ada.say(token, 'one');
    await ada.say(token, 'two');
    await external.received(WEBHOOK, 2);
    expect(await bob.heard(token)).toEqual(['one', 'two']);
    released.resolve();

    expect((await told(3)).slice(1).map(textOf)).toEqual(['one', 'two']);
  });

  itLong(
    'that hangs in more conversations than there are workers leaves some for others',
    async () => {
      const second = await startExternalApp(app, { appId: 'weather' });
      await knowApp(app, second);
      second.on(WEBHOOK, json({}));
      const weather = await aBot(app, second, 'Weather');
      external.on(WEBHOOK, () => {});

      for (let n = 0; n < 10; n += 1) {
        await enable(bot.id, await ada.group(`Hanging ${n}`));
      }
      await external.received(WEBHOOK, 2);
      await enable(weather.id);

      expect((await told(1, second)).map(({ type }) => type)).toEqual(['Join']);
      await second.close();
    },
  );

  it('that fails is retried, and later messages wait', async () => {
    await enable();
    await told(1);
    external.on(WEBHOOK, json({ error: 'broken' }, 500));
    await ada.say(token, 'one');
    await ada.say(token, 'two');
    await external.received(WEBHOOK, 2);
    const admin = new Chatter(app.asAdmin());
    external.on(WEBHOOK, json({}));
    await hurry();

    expect((await told(4)).slice(1).map(textOf)).toEqual(['one', 'one', 'two']);
    expect(await admin.data('GET', 'v1/bot/admin')).toMatchObject([
      { last_error_message: expect.stringContaining('answered with an error') },
    ]);
    expect(await bob.heard(token)).toEqual(['one', 'two']);
  });

  it('does not hold up another one', async () => {
    const second = await startExternalApp(app, { appId: 'weather' });
    await knowApp(app, second);
    second.on(WEBHOOK, json({}));
    const weather = await aBot(app, second, 'Weather');
    await enable();
    await enable(weather.id);
    external.on(WEBHOOK, json({}, 500));

    await ada.say(token, 'Rain?');

    expect((await told(2, second)).map(({ type }) => type)).toEqual(['Join', 'Create']);
    await second.close();
  });

  it('that no longer exists causes no errors', async () => {
    await enable();
    await told(1);
    await external.close();
    await ada.say(token, 'Anybody?');
    await hurry();
    await app.database.query('delete from ex_app');

    await ada.say(token, 'Nobody.');

    expect(await bob.heard(token)).toEqual(['Anybody?', 'Nobody.']);
    expect((await ada.call('DELETE', `v1/bot/${token}/${bot.id}`)).httpStatus).toBe(200);
  });

  it('does not receive a message that was deleted before its delivery', async () => {
    await enable();
    await told(1);
    external.on(WEBHOOK, json({}, 500));
    const { id } = await ada.say(token, 'secret');
    await external.received(WEBHOOK, 2);
    const { httpStatus } = await ada.call('DELETE', `v1/chat/${token}/${id}`);
    external.on(WEBHOOK, json({}));
    await hurry();

    const [, , next] = await told(3);

    expect(httpStatus).toBe(202);
    expect(next).toMatchObject({ type: 'Activity', object: { name: 'message_deleted' } });
  });

  itLong('receives messages after a restart of the service', async () => {
    const database = await createTestDatabase();
    const dataDir = await temporaryFolder('data');
    const start = () => startApp({ DATABASE_URL: database.url, GATEFOLD_DATA_DIR: dataDir });
    const first = await start();
    const user = await first.signInOnce('cleo');
    const cleo = new Chatter(user);
    const away = await startExternalApp(first, { appId: 'away' });
    await knowApp(first, away);
    away.on(WEBHOOK, (_request, response) => void response.destroy());
    const { id } = await aBot(first, away, 'Away');
    const where = await cleo.group('Restarted');
    await cleo.data('POST', `v1/bot/${where}/${id}`);
    await cleo.say(where, 'Remember this');
    await away.received(WEBHOOK);
    await first.stop();
    const before = away.requests(WEBHOOK).length;
    away.on(WEBHOOK, json({}));

    const second = await start();
    await second.database.query(
      `update job.job set start_after = now() where name = 'chat-bot-webhook' and state = 'retry'`,
    );

    const all = await told(before + 2, away);
    expect(all.slice(before).map(({ type }) => type)).toEqual(['Join', 'Create']);
    expect(textOf(all.at(-1) as Activity)).toBe('Remember this');
    expect(await new Chatter(new ApiClient(second.url, user.credentials)).heard(where)).toEqual([
      'Remember this',
    ]);
    await second.stop();
    await away.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
});
