import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Chatter } from '../../support/chatter.js';
import { startApp, type TestApp } from '../../support/start-app.js';

let app: TestApp;
let ada: Chatter;
let bob: Chatter;
let token: string;

beforeAll(async () => {
  app = await startApp();
  ada = new Chatter(await app.signInOnce('ada'));
  bob = new Chatter(await app.signInOnce('bob'));
  token = await ada.group('Reactions', 'bob');
});
afterAll(() => app.stop());

const react = (who: Chatter, method: string, messageId: number, reaction?: string) =>
  who.call(
    method,
    `v1/reaction/${token}/${messageId}`,
    reaction === undefined ? undefined : { reaction },
  );

describe('reactions', () => {
  it('are counted by emoji, and show their actors', async () => {
    const { id } = await ada.say(token, 'Lunch?');

    const first = await react(ada, 'POST', id, '👍');
    await react(bob, 'POST', id, '👍');
    await react(bob, 'POST', id, '❤️');

    expect(first.httpStatus).toBe(201);
    expect((await react(ada, 'GET', id)).data).toEqual({
      '👍': [
        {
          actorType: 'users',
          actorId: 'ada',
          actorDisplayName: 'ada',
          timestamp: expect.any(Number),
        },
        {
          actorType: 'users',
          actorId: 'bob',
          actorDisplayName: 'bob',
          timestamp: expect.any(Number),
        },
      ],
      '❤️': [expect.objectContaining({ actorId: 'bob' })],
    });
    expect((await react(ada, 'GET', id, '❤️')).data).toEqual({
      '❤️': [expect.objectContaining({ actorId: 'bob' })],
    });
    const shown = (await bob.history(token)).find((one) => one.id === id);
    expect(shown).toMatchObject({ reactions: { '👍': 2, '❤️': 1 }, reactionsSelf: ['👍', '❤️'] });
  });

  it('may repeat the variation selector, and are removed as they were sent', async () => {
    const { id } = await ada.say(token, 'Up?');
    const twice = '☝\uFE0F\uFE0F';

    expect((await react(ada, 'POST', id, twice)).data).toEqual({ [twice]: [expect.anything()] });
    expect((await react(ada, 'DELETE', id, twice)).data).toEqual({});
    expect((await react(ada, 'POST', id, '\uFE0F')).httpStatus).toBe(400);
  });

  it('are counted once per user', async () => {
    const { id } = await ada.say(token, 'Once');

    await react(bob, 'POST', id, '🎉');
    const again = await react(bob, 'POST', id, '🎉');

    expect(again.httpStatus).toBe(200);
    expect(Object.values(again.data as object)).toEqual([[expect.anything()]]);
  });

  it('are removed by their author', async () => {
    const { id } = await ada.say(token, 'Hm');
    await react(bob, 'POST', id, '👎');

    expect((await react(ada, 'DELETE', id, '👎')).httpStatus).toBe(404);
    expect((await react(bob, 'DELETE', id, '👎')).data).toEqual({});
    expect((await react(bob, 'DELETE', id, '👎')).httpStatus).toBe(404);
  });

  it('make clients update the message, and are not counted as unread', async () => {
    const { id } = await ada.say(token, 'Watched');
    await bob.data('POST', `v1/chat/${token}/read`, {});

    await react(ada, 'POST', id, '😀');
    await react(ada, 'DELETE', id, '😀');

    const [revoked, given] = await bob.history(token, 'limit=2');
    expect(given).toMatchObject({ systemMessage: 'reaction', parent: { id } });
    expect(revoked).toMatchObject({ systemMessage: 'reaction_revoked', parent: { reactions: {} } });
    expect(await bob.room(token)).toMatchObject({ unreadMessages: 0, lastMessage: { id } });
  });

  it.each(['', 'ok', '👍👍', '<b>', '1'])('are single emojis, not "%s"', async (reaction) => {
    const { id } = await ada.say(token, 'Emoji');

    expect((await react(bob, 'POST', id, reaction)).httpStatus).toBe(400);
  });

  it.each(['👍🏽', '👨‍👩‍👧', '🇩🇪', '1️⃣', '❤'])('may be %s', async (reaction) => {
    const { id } = await ada.say(token, 'Emoji');

    expect((await react(bob, 'POST', id, reaction)).httpStatus).toBe(201);
  });

  it('are accepted for comments of this conversation only', async () => {
    const elsewhere = await ada.say(await ada.group('Elsewhere', 'bob'), 'not here');
    const system = (await ada.history(token, 'limit=200')).find(
      (one) => one.systemMessage === 'conversation_created',
    );

    expect((await react(bob, 'POST', elsewhere.id, '👍')).httpStatus).toBe(404);
    expect((await react(bob, 'GET', elsewhere.id)).httpStatus).toBe(404);
    expect((await react(bob, 'POST', system?.id ?? 0, '👍')).httpStatus).toBe(400);
  });
});
