import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Chatter } from '../../support/chatter.js';
import { toOcs } from '../../support/external-app.js';
import { startApp, type TestApp } from '../../support/start-app.js';

let app: TestApp;
let ada: Chatter;
let bob: Chatter;

beforeAll(async () => {
  app = await startApp();
  ada = new Chatter(await app.signInOnce('ada'));
  bob = new Chatter(await app.signInOnce('bob'));
});
afterAll(() => app.stop());

describe('read markers', () => {
  it('count later messages of others, never those of the user', async () => {
    const token = await ada.group('Counted', 'bob');
    await ada.say(token, 'one');
    const two = await ada.say(token, 'two');

    expect(await ada.room(token)).toMatchObject({ unreadMessages: 0, lastReadMessage: two.id });
    expect(await bob.room(token)).toMatchObject({ unreadMessages: 2 });
  });

  it('move to the message that was read, or to the newest', async () => {
    const token = await ada.group('Moved', 'bob');
    const one = await ada.say(token, 'one');
    const two = await ada.say(token, 'two');

    const partly = await bob.raw('POST', `v1/chat/${token}/read`, { lastReadMessage: one.id });
    expect(toOcs(partly).data).toMatchObject({ unreadMessages: 1, lastReadMessage: one.id });
    expect(partly.headers['x-chat-last-common-read']).toBe(String(one.id));

    const wholly = await bob.raw('POST', `v1/chat/${token}/read`, { lastReadMessage: null });
    expect(toOcs(wholly).data).toMatchObject({ unreadMessages: 0, lastReadMessage: two.id });
    expect(wholly.headers['x-chat-last-common-read']).toBe(String(two.id));
  });

  it('stay within the conversation for any id', async () => {
    const token = await ada.group('Within', 'bob');
    const { id } = await ada.say(token, 'here');
    await ada.say(await ada.group('Elsewhere'), 'there');

    await bob.data('POST', `v1/chat/${token}/read`, { lastReadMessage: 9_000_000_000 });

    expect(await bob.room(token)).toMatchObject({ lastReadMessage: id });
  });

  it('move before the newest message to mark it unread', async () => {
    const token = await ada.group('Unread', 'bob');
    const { id } = await ada.say(token, 'one');
    await ada.say(token, 'two');
    await bob.data('POST', `v1/chat/${token}/read`, {});

    const room = await bob.data('DELETE', `v1/chat/${token}/read`);

    expect(room).toMatchObject({ unreadMessages: 1, lastReadMessage: id });
    expect(await ada.room(token)).toMatchObject({ lastCommonReadMessage: id });
  });

  it('are separate for each user', async () => {
    const token = await ada.group('Own', 'bob', 'admin');
    await ada.say(token, 'hello');
    await bob.data('POST', `v1/chat/${token}/read`, {});

    expect(await new Chatter(app.asAdmin()).room(token)).toMatchObject({ unreadMessages: 1 });
  });

  it('withdraw notifications of read messages', async () => {
    const token = await ada.group('Settled', 'bob');
    const before = await ada.say(token, 'nothing special');
    await ada.say(token, 'hey @bob');
    const shown = async () => {
      const user = await app.signInOnce('bob');
      const path = '/ocs/v2.php/apps/notifications/api/v2/notifications';
      const all = toOcs(await user.get(path, { query: { format: 'json' } })).data;
      return (all as { object_type: string; object_id: string }[]).filter(
        (one) => one.object_id === token && one.object_type === 'chat',
      );
    };

    await bob.data('POST', `v1/chat/${token}/read`, { lastReadMessage: before.id });
    expect(await shown()).toHaveLength(1);
    await bob.data('POST', `v1/chat/${token}/read`, {});
    expect(await shown()).toEqual([]);
    expect(await bob.room(token)).toMatchObject({ unreadMention: false });
  });
});
