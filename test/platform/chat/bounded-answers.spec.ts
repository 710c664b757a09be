import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Chatter, messagesOf, type ChatMessage } from '../../support/chatter.js';
import { startApp, type TestApp } from '../../support/start-app.js';

/* Whoever shares a conversation decides how long its messages are; never how large an answer is. */

const KIB = 1024;
const MOST_BYTES_OF_A_PAGE = 700 * KIB;
const LONG = `@alice ${'x'.repeat(31_900)}`;
const LONG_MESSAGES = 40;

let app: TestApp;
let root: Chatter;
let alice: Chatter;
let carol: Chatter;
let mallory: Chatter;
beforeAll(async () => {
  app = await startApp({
    GATEFOLD_LIMITS: 'conversations-of-others-per-user=8 conversations-of-one-owner-per-user=5',
  });
  root = new Chatter(app.asAdmin());
  [alice, carol, mallory] = [
    new Chatter(await app.signInOnce('alice')),
    new Chatter(await app.signInOnce('carol')),
    new Chatter(await app.signInOnce('mallory')),
  ];
});
afterAll(() => app.stop());

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

async function longTalk(name: string): Promise<string> {
  const token = await mallory.group(name, 'alice');
  const parent = await mallory.say(token, LONG);
  for (let count = 1; count < LONG_MESSAGES; count += 1) {
    await mallory.say(token, count % 2 === 0 ? LONG : 'short', { replyTo: parent.id });
  }
  return token;
}

describe('A page of messages', () => {
  it('ends before it is large, also by the messages that are replied to, and none is lost by paging', async () => {
    const token = await longTalk('Long talk');
    const [newest] = await mallory.history(token, 'limit=1');
    const back: ChatMessage[] = [];
    for (let last = (newest?.id ?? 0) + 1; ; last = back.at(-1)?.id ?? 0) {
      const answer = await alice.raw(
        'GET',
        `v1/chat/${token}?limit=200&lastKnownMessageId=${last}`,
      );
      if (answer.status === 304) {
        break;
      }
      const page = messagesOf(answer);
      expect(bytesOf(page)).toBeLessThan(MOST_BYTES_OF_A_PAGE);
      expect(answer.headers['x-chat-last-given']).toBe(String(page.at(-1)?.id));
      back.push(...page);
    }
    const forth: ChatMessage[] = [];
    while (forth.at(-1)?.id !== newest?.id) {
      const page = messagesOf(await alice.poll(token, forth.at(-1)?.id ?? 0, 'limit=200'));
      expect(bytesOf(page)).toBeLessThan(MOST_BYTES_OF_A_PAGE);
      forth.push(...page);
    }

    expect(back.filter(({ messageType }) => messageType === 'comment')).toHaveLength(LONG_MESSAGES);
    expect(forth.map(({ id }) => id)).toEqual(back.map(({ id }) => id).toReversed());
  });
});

describe('The list of conversations', () => {
  it('is short whatever others wrote last, and one conversation shows all of it', async () => {
    const tokens = await Promise.all(
      ['one', 'two', 'three'].map((name) => mallory.group(name, 'carol')),
    );
    for (const token of tokens) {
      await mallory.say(token, `@carol ${'ö'.repeat(31_000)}`);
    }

    const rooms = await carol.rooms();

    expect(rooms.map(({ token }) => token)).toEqual(expect.arrayContaining(tokens));
    expect(bytesOf(rooms)).toBeLessThan(rooms.length * 8 * KIB);
    const [room] = rooms;
    expect(room?.lastMessage.message).toMatch(/^\{mention-user1\} ö{1900}/);
    expect(room?.lastMessage.messageParameters).toHaveProperty('mention-user1');
    const shown = await carol.room(room?.token ?? '');
    expect(shown.lastMessage.message).toHaveLength('{mention-user1} '.length + 31_000);
  });
});

describe('A user who is added to conversations by others', () => {
  const add = (who: Chatter, token: string, newParticipant: string) =>
    who.call('POST', `v4/room/${token}/participants`, { newParticipant });

  it('is added by one owner only as often as is allowed, by others still, and can leave each', async () => {
    const tokens: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      tokens.push(await mallory.group(`Trap ${count}`));
    }
    const dave = new Chatter(await app.signInOnce('dave'));
    const answers = await Promise.all(
      [...tokens, await mallory.group('Trap 5')].map((token) => add(mallory, token, 'dave')),
    );
    const refused = answers.filter(({ httpStatus }) => httpStatus === 400);

    expect(refused.map(({ message }) => message)).toEqual([
      '"dave" cannot be added to more conversations, and has to leave some of them first.',
    ]);
    await alice.group('From a friend', 'dave');
    await root.group('From an administrator', 'dave');
    const rooms = await dave.rooms();
    expect(rooms).toHaveLength(7);
    for (const { token, name } of rooms.filter((room) => room.name.startsWith('Trap'))) {
      await dave.data('DELETE', `v4/room/${token}/participants/self`);
      expect((await dave.rooms()).map((room) => room.name)).not.toContain(name);
    }
    expect((await add(mallory, tokens[0] ?? '', 'dave')).httpStatus).toBe(200);
  });
});

it('A reaction of thousands of signs is no emoji.', async () => {
  const token = await mallory.group('Emoji');
  const { id } = await mallory.say(token, 'Hello');

  const answer = await mallory.call('POST', `v1/reaction/${token}/${id}`, {
    reaction: `👍${'\uFE0F'.repeat(10_000)}`,
  });

  expect(answer.httpStatus).toBe(400);
});
