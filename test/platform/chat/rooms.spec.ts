import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GroupsService } from '../../../src/platform/accounts/groups/groups.service.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { Chatter, type Room } from '../../support/chatter.js';
import { toOcs } from '../../support/external-app.js';
import { startApp, type TestApp } from '../../support/start-app.js';

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

describe('POST v4/room', () => {
  it('creates a group owned by the caller', async () => {
    const { httpStatus, statuscode, data } = await ada.call('POST', 'v4/room', {
      roomType: 2,
      roomName: 'Sailing',
    });

    expect([httpStatus, statuscode]).toEqual([201, 201]);
    expect(data).toMatchObject({
      type: 2,
      name: 'Sailing',
      displayName: 'Sailing',
      participantType: 1,
      actorId: 'ada',
      canDeleteConversation: true,
      unreadMessages: 0,
      lastMessage: { systemMessage: 'conversation_created', messageType: 'system' },
    });
  });

  it('answers with the only success status of v1', async () => {
    const user = await app.signInOnce('ada');
    const answer = await user.call('POST', '/ocs/v1.php/apps/spreed/api/v4/room', {
      json: { roomType: 2, roomName: 'Old root' },
      query: { format: 'json' },
    });

    expect([answer.status, toOcs(answer).statuscode]).toEqual([200, 100]);
  });

  it('returns one conversation for two users, no matter who opens it', async () => {
    const first = await ada.call('POST', 'v4/room', { roomType: 1, invite: 'bob' });
    const again = await bob.call('POST', 'v4/room', { roomType: 1, invite: 'ada' });

    expect([first.httpStatus, again.httpStatus]).toEqual([201, 200]);
    expect(first.data).toMatchObject({ type: 1, name: 'bob', displayName: 'bob' });
    expect(again.data).toMatchObject({
      token: (first.data as Room).token,
      name: 'ada',
      displayName: 'ada',
      participantType: 1,
    });
  });

  it('returns one conversation for two users who open it concurrently', async () => {
    const opened = await Promise.all(
      [ada, eve, ada, eve].map((who) =>
        who.data<Room>('POST', 'v4/room', { roomType: 1, invite: who === ada ? 'eve' : 'ada' }),
      ),
    );

    expect(new Set(opened.map(({ token }) => token)).size).toBe(1);
    const [room] = opened;
    expect(await ada.attendees(room?.token ?? '')).toHaveLength(2);
  });

  it.each([
    ['somebody unknown', { roomType: 1, invite: 'nobody' }, 404],
    ['oneself', { roomType: 1, invite: 'ada' }, 400],
    ['a group without a name', { roomType: 2, roomName: ' ' }, 400],
    ['a group with too long a name', { roomType: 2, roomName: 'n'.repeat(256) }, 400],
    ['an unknown group of people', { roomType: 2, roomName: 'x', invite: 'staff' }, 404],
    ['people of another sort', { roomType: 2, invite: 'admin', source: 'circles' }, 400],
    ['a sort of conversation that is not there', { roomType: 4, roomName: 'x' }, 400],
    ['a name that no database holds', { roomType: 2, roomName: 'a\0b' }, 400],
  ])('rejects %s', async (_what, room, expected) => {
    expect(await status(ada, 'POST', 'v4/room', room)).toBe(expected);
  });

  it('invites a user group, under its name, by members and administrators', async () => {
    const root = new Chatter(app.asAdmin());
    const groups = app.inside(GroupsService);
    await groups.add('crew', 'The crew');
    await groups.enter('crew', 'ada');
    await groups.enter('crew', 'bob');
    const open = (who: Chatter, more: object = {}) =>
      who.call('POST', 'v4/room', { roomType: 2, invite: 'crew', ...more });
    const byAda = await open(ada);
    const byAdmin = await open(root, { roomName: 'Orders', source: 'groups' });

    expect(byAda.data).toMatchObject({ displayName: 'The crew', participantType: 1 });
    expect(byAdmin.data).toMatchObject({ displayName: 'Orders' });
    const { token } = byAdmin.data as Room;
    expect((await root.attendees(token)).map(({ actorId }) => actorId).toSorted()).toEqual([
      'ada',
      'admin',
      'bob',
    ]);
    expect((await bob.room(token)).participantType).toBe(3);
    // The response does not reveal whether the group exists.
    expect((await open(eve)).httpStatus).toBe(404);
    expect((await ada.call('POST', 'v4/room', { roomType: 2, invite: 'admin' })).httpStatus).toBe(
      404,
    );
  });

  it('has every key that clients access without a check', async () => {
    const { data } = await ada.call('POST', 'v4/room', { roomType: 2, roomName: 'Keys' });

    expect(data).toMatchObject({
      attendeePin: '',
      avatarVersion: '',
      isCustomAvatar: false,
      callStartTime: 0,
      callRecording: 0,
      breakoutRoomMode: 0,
      breakoutRoomStatus: 0,
    });
  });

  it('notifies invited users', async () => {
    await ada.group('Chess', 'bob');

    const user = await app.signInOnce('bob');
    const path = '/ocs/v2.php/apps/notifications/api/v2/notifications';
    const notifications = toOcs(await user.get(path, { query: { format: 'json' } })).data;
    expect(notifications).toContainEqual(
      expect.objectContaining({
        app: 'spreed',
        object_type: 'room',
        subject: 'ada invited you to the conversation Chess',
      }),
    );
  });
});

describe('GET v4/room', () => {
  it('lists the conversations of the user, most recent first', async () => {
    const quiet = await ada.group('Quiet', 'bob');
    const busy = await ada.group('Busy', 'bob');
    const foreign = await ada.group('Foreign');
    await ada.say(busy, 'first');
    await ada.say(quiet, 'last');

    const tokens = (await bob.rooms()).map(({ token }) => token);

    expect(tokens.slice(0, 2)).toEqual([quiet, busy]);
    expect(tokens).not.toContain(foreign);
  });

  it('returns the time for the next request, and the hash of the capabilities', async () => {
    const token = await ada.group('Headers');

    const list = await ada.raw('GET', 'v4/room');
    const room = await ada.raw('GET', `v4/room/${token}`);

    const nowSeconds = (await app.nowMicros()) / 1_000_000;
    const before = Number(list.headers['x-nextcloud-talk-modified-before']);
    expect(Math.abs(before - nowSeconds)).toBeLessThan(60);
    expect(list.headers['x-nextcloud-talk-hash']).toMatch(/^[0-9a-f]{40}$/);
    expect(room.headers['x-nextcloud-talk-hash']).toBe(list.headers['x-nextcloud-talk-hash']);
  });

  it('omits conversations without activity since the time the client gives', async () => {
    await ada.group('Recent', 'bob');
    const now = Math.ceil((await app.nowMicros()) / 1_000_000) + 60;

    expect(await bob.data('GET', `v4/room?modifiedSince=${now}`)).toEqual([]);
    expect(await bob.data('GET', 'v4/room?modifiedSince=999999999999999')).toEqual([]);
  });
});

describe('a conversation', () => {
  it('is 404 for other users, as if it did not exist', async () => {
    const token = await ada.group('Secret', 'bob');
    const calls: readonly (readonly [string, string, object?])[] = [
      ['GET', 'v4/room/TOKEN'],
      ['PUT', 'v4/room/TOKEN', { roomName: 'Mine' }],
      ['PUT', 'v4/room/TOKEN/description', { description: 'Mine' }],
      ['DELETE', 'v4/room/TOKEN'],
      ['GET', 'v4/room/TOKEN/participants'],
      ['POST', 'v4/room/TOKEN/participants', { newParticipant: 'eve' }],
      ['POST', 'v4/room/TOKEN/participants/active'],
      ['DELETE', 'v4/room/TOKEN/participants/active'],
      ['DELETE', 'v4/room/TOKEN/participants/self'],
      ['DELETE', 'v4/room/TOKEN/participants', { participant: 'bob' }],
      ['DELETE', 'v4/room/TOKEN/attendees', { attendeeId: 1 }],
      ['POST', 'v4/room/TOKEN/moderators', { attendeeId: 1 }],
      ['DELETE', 'v4/room/TOKEN/moderators', { attendeeId: 1 }],
      ['GET', 'v1/chat/TOKEN'],
      ['GET', 'v1/chat/TOKEN?lookIntoFuture=1&timeout=0'],
      ['POST', 'v1/chat/TOKEN', { message: 'hi' }],
      ['PUT', 'v1/chat/TOKEN/1', { message: 'hi' }],
      ['DELETE', 'v1/chat/TOKEN/1'],
      ['POST', 'v1/chat/TOKEN/read', {}],
      ['DELETE', 'v1/chat/TOKEN/read'],
      ['GET', 'v1/chat/TOKEN/mentions?search=a'],
      ['GET', 'v1/reaction/TOKEN/1'],
      ['POST', 'v1/reaction/TOKEN/1', { reaction: '👍' }],
      ['DELETE', 'v1/reaction/TOKEN/1', { reaction: '👍' }],
      ['GET', 'v1/bot/TOKEN'],
      ['POST', 'v1/bot/TOKEN/1'],
      ['DELETE', 'v1/bot/TOKEN/1'],
    ];

    for (const [method, path, json] of calls) {
      const hidden = await eve.call(method, path.replace('TOKEN', token), json);
      const missing = await eve.call(method, path.replace('TOKEN', 'nowhere'), json);

      expect([path, hidden.httpStatus, missing.httpStatus]).toEqual([path, 404, 404]);
      expect(hidden.message.replace(token, 'nowhere')).toBe(missing.message);
      const stranger = new Chatter(app.asStranger());
      expect([path, await status(stranger, method, path.replace('TOKEN', token), json)]).toEqual([
        path,
        401,
      ]);
    }
    expect(await ada.room(token)).toMatchObject({ name: 'Secret' });
  });

  it('is renamed and described by moderators, with system messages', async () => {
    const token = await ada.group('Old', 'bob');

    expect(await status(bob, 'PUT', `v4/room/${token}`, { roomName: 'Mine' })).toBe(403);
    expect(await status(ada, 'PUT', `v4/room/${token}`, { roomName: 'New' })).toBe(200);
    await ada.data('PUT', `v4/room/${token}/description`, { description: 'All about new' });

    expect(await bob.room(token)).toMatchObject({ name: 'New', description: 'All about new' });
    const [described, renamed] = await bob.history(token);
    expect(described?.systemMessage).toBe('description_set');
    expect(renamed).toMatchObject({
      systemMessage: 'conversation_renamed',
      messageParameters: { actor: { type: 'user', id: 'ada' }, newName: { name: 'New' } },
    });
  });

  it('accepts any name, even half a surrogate pair', async () => {
    const token = await ada.group('Whole');

    expect(await status(ada, 'PUT', `v4/room/${token}`, { roomName: 'Half \ud83d' })).toBe(200);
    expect(await ada.room(token)).toMatchObject({ name: 'Half \ufffd' });
  });

  it('is deleted by moderators, with all messages', async () => {
    const token = await ada.group('Gone', 'bob');
    await ada.say(token, 'forget me');

    expect(await status(bob, 'DELETE', `v4/room/${token}`)).toBe(403);
    expect(await status(ada, 'DELETE', `v4/room/${token}`)).toBe(200);

    expect(await status(ada, 'GET', `v4/room/${token}`)).toBe(404);
    expect(
      await app.database.query(`select 1 from chat_message where message = 'forget me'`),
    ).toEqual([]);
  });

  it('in one-to-one cannot be renamed, extended or deleted', async () => {
    const { token } = await ada.data<Room>('POST', 'v4/room', { roomType: 1, invite: 'bob' });

    expect(await status(ada, 'PUT', `v4/room/${token}`, { roomName: 'Us' })).toBe(400);
    expect(
      await status(ada, 'POST', `v4/room/${token}/participants`, { newParticipant: 'eve' }),
    ).toBe(400);
    expect(await status(ada, 'DELETE', `v4/room/${token}`)).toBe(400);
    expect(await bob.attendees(token)).toHaveLength(2);
  });

  it('in one-to-one is rejoined by a user who has left with the next message', async () => {
    const { token } = await bob.data<Room>('POST', 'v4/room', { roomType: 1, invite: 'eve' });
    await eve.data('DELETE', `v4/room/${token}/participants/self`);
    expect(await status(eve, 'GET', `v4/room/${token}`)).toBe(404);

    await bob.say(token, 'come back');

    expect(await eve.room(token)).toMatchObject({ unreadMessages: 1, unreadMention: true });
  });
});

describe('participants', () => {
  it('are invited by moderators only', async () => {
    const token = await ada.group('Invited', 'bob');
    const invite = (who: Chatter, newParticipant: string, more: object = {}) =>
      status(who, 'POST', `v4/room/${token}/participants`, { newParticipant, ...more });

    expect(await invite(bob, 'eve')).toBe(403);
    expect(await invite(ada, 'nobody')).toBe(404);
    expect(await invite(ada, 'staff', { source: 'groups' })).toBe(400);
    expect(await invite(ada, 'eve')).toBe(200);
    expect(await invite(ada, 'eve')).toBe(200);

    expect((await eve.attendees(token)).map((one) => [one.actorId, one.participantType])).toEqual([
      ['ada', 1],
      ['bob', 3],
      ['eve', 3],
    ]);
  });

  it('have no unread messages from before they joined', async () => {
    const token = await ada.group('Late');
    await ada.say(token, 'early');
    await ada.data('POST', `v4/room/${token}/participants`, { newParticipant: 'bob' });

    expect(await bob.room(token)).toMatchObject({ unreadMessages: 0 });
    expect(await bob.heard(token)).toEqual(['early']);
  });

  it('lose access to the conversation when they are removed', async () => {
    const token = await ada.group('Removed', 'bob', 'eve');
    const { attendeeId } = await ada.attendee(token, 'bob');
    const remove = (who: Chatter) =>
      status(who, 'DELETE', `v4/room/${token}/attendees`, { attendeeId });

    expect(await remove(eve)).toBe(403);
    expect(await remove(ada)).toBe(200);
    expect(await remove(ada)).toBe(404);

    expect(await status(bob, 'GET', `v1/chat/${token}`)).toBe(404);
    expect(await status(bob, 'POST', `v1/chat/${token}`, { message: 'still here' })).toBe(404);
    expect((await bob.rooms()).map((room) => room.token)).not.toContain(token);
    const [told] = await eve.history(token);
    expect(told).toMatchObject({
      systemMessage: 'user_removed',
      messageParameters: { actor: { id: 'ada' }, user: { id: 'bob' } },
    });
  });

  it('of another conversation are not found', async () => {
    const token = await bob.group('Mine');
    const { attendeeId } = await ada.attendee(await ada.group('Theirs', 'eve'), 'eve');

    expect(await status(bob, 'DELETE', `v4/room/${token}/attendees`, { attendeeId })).toBe(404);
  });

  it('are promoted and demoted by moderators, but never the owner', async () => {
    const token = await ada.group('Ranks', 'bob', 'eve');
    const path = `v4/room/${token}/moderators`;
    const attendeeId = async (userId: string) => (await ada.attendee(token, userId)).attendeeId;
    const forBob = { attendeeId: await attendeeId('bob') };

    expect(await status(eve, 'POST', path, forBob)).toBe(403);
    expect(await status(ada, 'POST', path, forBob)).toBe(200);
    expect(await status(ada, 'POST', path, forBob)).toBe(400);
    expect(await bob.room(token)).toMatchObject({ participantType: 2 });
    expect(await status(bob, 'DELETE', path, { attendeeId: await attendeeId('ada') })).toBe(403);
    expect(
      await status(bob, 'DELETE', `v4/room/${token}/attendees`, {
        attendeeId: await attendeeId('ada'),
      }),
    ).toBe(403);
    expect(await status(ada, 'DELETE', path, forBob)).toBe(200);
    expect(await bob.room(token)).toMatchObject({ participantType: 3 });
  });

  it('may leave, the last moderator only after promoting another participant', async () => {
    const token = await ada.group('Leaving', 'bob');
    const leave = (who: Chatter) => status(who, 'DELETE', `v4/room/${token}/participants/self`);

    expect(await leave(ada)).toBe(400);
    await ada.data('POST', `v4/room/${token}/moderators`, {
      attendeeId: (await ada.attendee(token, 'bob')).attendeeId,
    });
    expect(await leave(ada)).toBe(200);

    expect(await status(ada, 'GET', `v4/room/${token}`)).toBe(404);
    expect((await bob.attendees(token)).map(({ actorId }) => actorId)).toEqual(['bob']);
  });

  it('join a public conversation by its address, and no other', async () => {
    const { token } = await ada.data<Room>('POST', 'v4/room', { roomType: 3, roomName: 'Open' });
    const closed = await ada.group('Closed');
    const enter = (where: string) => status(eve, 'POST', `v4/room/${where}/participants/active`);

    expect(await enter(closed)).toBe(404);
    expect(await status(eve, 'GET', `v1/chat/${token}`)).toBe(404);
    expect(await enter(token)).toBe(200);

    await eve.say(token, 'hello');
    expect(await eve.room(token)).toMatchObject({ participantType: 5 });
  });
});

describe('deleting an account', () => {
  it('removes the user from all conversations, and keeps the messages', async () => {
    const zoe = new Chatter(await app.signInOnce('zoe'));
    const group = await zoe.group('Of Zoe', 'bob', 'eve');
    const alone = await zoe.group('Alone');
    const { token: pair } = await zoe.data<Room>('POST', 'v4/room', { roomType: 1, invite: 'bob' });
    const said = await zoe.say(group, 'I was here');
    await zoe.say(pair, 'just us');
    await bob.say(group, 'hello @zoe');
    await zoe.data('POST', `v1/reaction/${group}/${said.id}`, { reaction: '👍' });

    await app.inside(UsersService).delete('zoe');

    expect(await bob.heard(group)).toEqual(['I was here', 'hello {mention-user1}']);
    expect(await bob.heard(pair)).toEqual(['just us']);
    expect((await bob.attendees(group)).map((one) => [one.actorId, one.participantType])).toEqual([
      ['bob', 2],
      ['eve', 3],
    ]);
    expect(await bob.room(pair)).toMatchObject({ type: 5, readOnly: 1, name: 'Deleted user' });
    expect(await status(bob, 'POST', `v1/chat/${pair}`, { message: 'hello?' })).toBe(403);
    const left = await app.database.query<{ table: string }>(
      `select 'message' as table from chat_message m where m::text like '%zoe%'
       union all select 'conversation' from conversation c where c::text ~ 'zoe'
       union all select 'reaction' from chat_reaction r where r::text like '%zoe%'
       union all select 'participant' from conversation_participant p where p::text like '%zoe%'
       union all select 'alone' from conversation where token = $1`,
      [alone],
    );
    expect(left).toEqual([]);
  });
});

describe('capabilities', () => {
  it('include a chat with bots, also in anonymous requests', async () => {
    const { data } = toOcs(
      await app.asStranger().get('/ocs/v1.php/cloud/capabilities', { query: { format: 'json' } }),
    );

    expect(data).toMatchObject({
      capabilities: {
        spreed: {
          features: expect.arrayContaining(['bots-v1', 'chat-v2', 'conversation-v4', 'reactions']),
          config: { chat: { 'max-length': 32_000 } },
        },
      },
    });
  });
});
