import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/common/clock.js';
import { Chatter, messagesOf, type Room } from '../../support/chatter.js';
import { toOcs } from '../../support/external-app.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { until } from '../../support/until.js';

let app: TestApp;
let ada: Chatter;
let bob: Chatter;
let eve: Chatter;

beforeAll(async () => {
  app = await startApp();
  ada = new Chatter(await app.signInOnce('ada'));
  bob = new Chatter(await app.signInOnce('bob'));
  eve = new Chatter(await app.signInOnce('eve'));
});
afterAll(() => app.stop());

const status = async (who: Chatter, method: string, path: string, json?: unknown) =>
  (await who.call(method, path, json)).httpStatus;

interface Notification {
  readonly app: string;
  readonly object_type: string;
  readonly object_id: string;
  readonly subject: string;
  readonly message: string;
}

const notificationsOf = async (userId: string, token: string) => {
  const user = await app.signInOnce(userId);
  const path = '/ocs/v2.php/apps/notifications/api/v2/notifications';
  const all = toOcs(await user.get(path, { query: { format: 'json' } })).data as Notification[];
  return all.filter((one) => one.object_type === 'chat' && one.object_id === token);
};

describe('POST v1/chat/{token}', () => {
  it('answers with the message as all participants will read it', async () => {
    const token = await ada.group('Said', 'bob');

    const { httpStatus, data } = await ada.call('POST', `v1/chat/${token}`, {
      message: 'Hello *there*  \n',
      referenceId: 'f'.repeat(64),
      actorDisplayName: 'Somebody else',
    });

    expect(httpStatus).toBe(201);
    expect(data).toEqual({
      id: expect.any(Number),
      token,
      actorType: 'users',
      actorId: 'ada',
      actorDisplayName: 'ada',
      timestamp: expect.any(Number),
      message: 'Hello *there*',
      messageParameters: {},
      systemMessage: '',
      messageType: 'comment',
      isReplyable: true,
      referenceId: 'f'.repeat(64),
      expirationTimestamp: 0,
      reactions: {},
      markdown: true,
      silent: false,
    });
    expect((await bob.history(token, 'limit=1'))[0]).toEqual(data);
  });

  it('accepts 32000 code points, and not one more', async () => {
    const token = await ada.group('Long');
    const say = (message: string) => status(ada, 'POST', `v1/chat/${token}`, { message });

    expect(await say('😀'.repeat(32_000))).toBe(201);
    expect(await say('x'.repeat(32_001))).toBe(413);
  });

  it.each([
    ['nothing', { message: '' }],
    ['blanks', { message: ' \n ' }],
    ['no message', {}],
    ['what no database holds', { message: 'a\0b' }],
    ['an answer to nothing', { message: 'a', replyTo: 999_999_999 }],
  ])('rejects %s', async (_what, json) => {
    const token = await ada.group('Refused');

    expect(await status(ada, 'POST', `v1/chat/${token}`, json)).toBe(400);
    expect(await ada.heard(token)).toEqual([]);
  });

  it('returns a reply with its parent, but without the parent of the parent', async () => {
    const token = await ada.group('Answers', 'bob');
    const question = await ada.say(token, 'Where?');
    const answer = await bob.say(token, 'Here.', { replyTo: question.id });
    const thanks = await ada.say(token, 'Thanks.', { replyTo: answer.id });

    expect(answer.parent).toEqual(question);
    const { parent: _parent, ...plain } = answer;
    expect(thanks.parent).toEqual(plain);
  });

  it('rejects replies to system messages and to messages of other conversations', async () => {
    const token = await ada.group('Here');
    const [created] = await ada.history(token);
    const elsewhere = await ada.say(await ada.group('There'), 'not here');

    for (const replyTo of [created?.id, elsewhere.id]) {
      expect(await status(ada, 'POST', `v1/chat/${token}`, { message: 'a', replyTo })).toBe(400);
    }
  });

  it('recognises mentions of participants only', async () => {
    const token = await ada.group('Mentions', 'bob');

    const said = await ada.say(
      token,
      'Hi @bob, @"bob" and @eve: a@bob.example @bob. {mention-user1}',
    );

    const [name = ''] = Object.keys(said.messageParameters);
    expect(name).toMatch(/^mention-user\d+$/);
    expect(name).not.toBe('mention-user1');
    expect(said.messageParameters).toEqual({ [name]: { type: 'user', id: 'bob', name: 'bob' } });
    expect(said.message).toBe(
      `Hi {${name}}, {${name}} and @eve: a@bob.example {${name}}. {mention-user1}`,
    );
  });

  it('notifies mentioned users, unless it is silent or mentions its author', async () => {
    const token = await ada.group('Notified', 'bob', 'eve');

    await ada.say(token, 'psst @bob', { silent: true });
    await ada.say(token, 'talking to @ada');
    expect(await notificationsOf('bob', token)).toEqual([]);
    await ada.say(token, 'hey @bob');

    expect(await notificationsOf('bob', token)).toMatchObject([
      { app: 'spreed', subject: 'ada mentioned you in Notified', message: 'hey bob' },
    ]);
    expect(await notificationsOf('eve', token)).toEqual([]);
    expect(await notificationsOf('ada', token)).toEqual([]);
    expect(await bob.room(token)).toMatchObject({ unreadMention: true, unreadMessages: 3 });
  });

  it('notifies everybody of @all in a group', async () => {
    const token = await ada.group('Everybody', 'bob', 'eve');

    const said = await ada.say(token, 'Dear @all');

    expect(said.messageParameters).toEqual({
      'mention-call1': { type: 'call', id: token, name: 'Everybody', 'call-type': 'group' },
    });
    expect(await notificationsOf('bob', token)).toHaveLength(1);
    expect(await notificationsOf('eve', token)).toHaveLength(1);
    expect(await notificationsOf('ada', token)).toEqual([]);
  });

  it('notifies the other user of every message in one-to-one, showing the newest', async () => {
    const { token } = await ada.data<Room>('POST', 'v4/room', { roomType: 1, invite: 'bob' });

    await ada.say(token, 'one');
    await ada.say(token, 'two');

    expect(await notificationsOf('bob', token)).toMatchObject([
      { subject: 'ada sent you a private message', message: 'two' },
    ]);
  });
});

describe('GET v1/chat/{token}', () => {
  it('reads the history page by page', async () => {
    const token = await ada.group('Pages', 'bob');
    for (const message of ['1', '2', '3', '4', '5']) {
      await ada.say(token, message);
    }

    const first = await bob.raw('GET', `v1/chat/${token}?limit=2`);
    const lastGiven = String(first.headers['x-chat-last-given']);
    const second = await bob.raw('GET', `v1/chat/${token}?limit=2&lastKnownMessageId=${lastGiven}`);
    const again = await bob.history(
      token,
      `limit=2&lastKnownMessageId=${lastGiven}&includeLastKnown=1`,
    );

    expect(messagesOf(first).map(({ message }) => message)).toEqual(['5', '4']);
    expect(messagesOf(second).map(({ message }) => message)).toEqual(['3', '2']);
    expect(again.map(({ message }) => message)).toEqual(['4', '3']);
  });

  it('takes numbers that are too large for large ones', async () => {
    const token = await ada.group('Large', 'bob');
    const { id } = await ada.say(token, 'the only one');
    const large = '9'.repeat(40);

    expect(
      (await bob.history(token, `limit=${large}&lastKnownMessageId=${large}`))[0],
    ).toMatchObject({ id, message: 'the only one' });
    const none = `v1/chat/${token}?lookIntoFuture=1&timeout=0&lastKnownMessageId=${large}`;
    expect((await bob.raw('GET', none)).status).toBe(304);
    expect((await bob.raw('DELETE', `v1/chat/${token}/${large}`)).status).toBe(404);
  });

  it('answers 304 without a body at the end', async () => {
    const token = await ada.group('Ended');
    const oldest = (await ada.history(token)).at(-1);

    const { status: code, text } = await ada.raw(
      'GET',
      `v1/chat/${token}?lastKnownMessageId=${oldest?.id}`,
    );

    expect([code, text]).toEqual([304, '']);
  });

  it('assigns no id before it is its turn to write', async () => {
    const token = await ada.group('Turns', 'bob');
    const drawn = async () =>
      app.database.query('select last_value from chat_message_id_seq').then(([row]) => row);
    const before = await drawn();

    const { saying, whileWaiting } = await app.database.transaction(async (tx) => {
      await tx.query('select 1 from conversation where token = $1 for update', [token]);
      const saying = bob.say(token, 'after you');
      await someoneWaitsForALock();
      return { saying, whileWaiting: await drawn() };
    });

    expect(whileWaiting).toEqual(before);
    expect(await saying).toMatchObject({ message: 'after you' });
  });

  it('rejects a user who was removed while waiting for the lock', async () => {
    const token = await ada.group('Too late', 'bob');

    const { saying } = await app.database.transaction(async (tx) => {
      await tx.query('select 1 from conversation where token = $1 for update', [token]);
      const saying = bob.call('POST', `v1/chat/${token}`, { message: 'still here' });
      await someoneWaitsForALock();
      await tx.query(
        `delete from conversation_participant p using conversation c
          where c.id = p.conversation_id and c.token = $1 and p.user_id = 'bob'`,
        [token],
      );
      return { saying };
    });

    expect((await saying).httpStatus).toBe(404);
    expect(await ada.heard(token)).toEqual([]);
  });

  async function someoneWaitsForALock(): Promise<void> {
    await until('a statement that waits for a lock', async () => {
      const waiting = await app.database.query(
        `select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
  }

  it('assigns ids in the order in which messages were committed', async () => {
    const token = await ada.group('Order', 'bob', 'eve');
    const since = (await ada.history(token))[0]?.id ?? 0;

    const sent = await Promise.all(
      [ada, bob, eve].flatMap((who) =>
        Array.from({ length: 10 }, (_, n) => who.say(token, `${n}`)),
      ),
    );

    const poll = await ada.poll(token, since, 'timeout=0&limit=200');
    const ids = messagesOf(poll).map(({ id }) => id);
    expect(ids).toEqual(sent.map(({ id }) => id).sort((a, b) => a - b));
    expect((await ada.room(token)).lastMessage.id).toBe(ids.at(-1));
  });
});

describe('PUT v1/chat/{token}/{messageId}', () => {
  const edit = (who: Chatter, token: string, id: number, message: string) =>
    who.call('PUT', `v1/chat/${token}/${id}`, { message });

  it('edits a message, and updates clients that have the old text', async () => {
    const token = await ada.group('Edited', 'bob');
    const { id } = await ada.say(token, 'teh');

    const { httpStatus, data } = await edit(ada, token, id, 'the @bob');

    expect(httpStatus).toBe(200);
    expect(data).toMatchObject({
      systemMessage: 'message_edited',
      parent: { id, message: 'the {mention-user1}', lastEditActorId: 'ada' },
    });
    expect(await bob.heard(token)).toEqual(['the {mention-user1}']);
    expect((await bob.room(token)).lastMessage.id).toBe(id);
  });

  it('is for the author and moderators of a group', async () => {
    const token = await ada.group('Mine', 'bob', 'eve');
    const { id } = await bob.say(token, 'mine');

    expect((await edit(eve, token, id, 'hers')).httpStatus).toBe(403);
    expect((await edit(bob, token, id, '')).httpStatus).toBe(400);
    expect((await edit(ada, token, id, 'moderated')).httpStatus).toBe(200);
    const { token: pair } = await ada.data<Room>('POST', 'v4/room', { roomType: 1, invite: 'bob' });
    const theirs = await bob.say(pair, 'private');
    expect((await edit(ada, pair, theirs.id, 'forged')).httpStatus).toBe(403);
  });

  it('is rejected after a day', async () => {
    const token = await ada.group('Yesterday');
    const { id } = await ada.say(token, 'old');
    const clock = app.inside(Clock);
    const later = clock.nowSeconds() + 25 * 3600;
    const real = clock.nowSeconds.bind(clock);
    clock.nowSeconds = () => later;

    expect((await edit(ada, token, id, 'new')).httpStatus).toBe(400);

    clock.nowSeconds = real;
  });
});

describe('DELETE v1/chat/{token}/{messageId}', () => {
  it('keeps the deleted message as a placeholder without its text', async () => {
    const token = await ada.group('Deleted', 'bob');
    const { id } = await ada.say(token, 'regretted');
    await bob.data('POST', `v1/reaction/${token}/${id}`, { reaction: '👍' });
    await bob.say(token, 'what?', { replyTo: id });

    const { httpStatus, data } = await ada.call('DELETE', `v1/chat/${token}/${id}`);

    expect(httpStatus).toBe(200);
    expect(data).toMatchObject({
      systemMessage: 'message_deleted',
      parent: { id, messageType: 'comment_deleted', deleted: true, reactions: {} },
    });
    const history = await bob.history(token);
    expect(history.find((one) => one.id === id)).toMatchObject({
      message: 'Message deleted by author',
      messageType: 'comment_deleted',
    });
    expect(
      await app.database.query(`select 1 from chat_message m where m::text like '%regretted%'`),
    ).toEqual([]);
  });

  it('is for the author and moderators, and not for system messages', async () => {
    const token = await ada.group('Kept', 'bob', 'eve');
    const { id } = await bob.say(token, 'mine');
    const created = (await ada.history(token)).find((one) => one.messageType === 'system');
    const remove = (who: Chatter, which: number | undefined) =>
      status(who, 'DELETE', `v1/chat/${token}/${which}`);

    expect(await remove(eve, id)).toBe(403);
    expect(await remove(ada, created?.id)).toBe(400);
    expect(await remove(ada, 999_999_999)).toBe(404);
    expect(await remove(ada, id)).toBe(200);
    expect(await remove(ada, id)).toBe(400);
  });

  it('of another conversation is 404', async () => {
    const { id } = await ada.say(await ada.group('Other'), 'safe');
    const token = await eve.group('Hers');

    expect(await status(eve, 'DELETE', `v1/chat/${token}/${id}`)).toBe(404);
    expect(await status(eve, 'PUT', `v1/chat/${token}/${id}`, { message: 'x' })).toBe(404);
  });
});

describe('GET v1/chat/{token}/mentions', () => {
  it('suggests participants by name, except the caller, and the whole group', async () => {
    const token = await ada.group('Suggestions', 'bob', 'eve');
    const search = async (text: string) => {
      const found = await ada.data<{ id: string; source: string }[]>(
        'GET',
        `v1/chat/${token}/mentions?search=${text}`,
      );
      return found.map(({ id, source }) => `${source}/${id}`);
    };

    expect(await search('')).toEqual(['calls/all', 'users/bob', 'users/eve']);
    expect(await search('B')).toEqual(['users/bob']);
    expect(await search('ada')).toEqual([]);
  });
});
