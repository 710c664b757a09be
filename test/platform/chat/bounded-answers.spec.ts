import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Chatter } from '../../support/chatter.js';
import { startApp, type TestApp } from '../../support/start-app.js';

/* Whoever shares a conversation decides how long its messages are; never how large an answer is. */

let app: TestApp;
let root: Chatter;
let alice: Chatter;
let mallory: Chatter;
beforeAll(async () => {
  app = await startApp({
    GATEFOLD_LIMITS: 'conversations-of-others-per-user=8 conversations-of-one-owner-per-user=5',
  });
  root = new Chatter(app.asAdmin());
  [alice, mallory] = [
    new Chatter(await app.signInOnce('alice')),
    new Chatter(await app.signInOnce('mallory')),
  ];
});
afterAll(() => app.stop());

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
