import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import http from 'node:http';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { ChatSignals } from '../../../src/platform/chat/conversations/chat-signals.service.js';
import { TimelineService } from '../../../src/platform/chat/conversations/messages/timeline.service.js';
import { ApiClient, basic, type Credentials } from '../../support/api-client.js';
import { Chatter, messagesOf } from '../../support/chatter.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { until, within } from '../../support/until.js';

let database: TestDatabase;
let dataDir: string;
let one: TestApp;
let other: TestApp;
let adaAtOne: Chatter;
let bobAtOne: Chatter;
let bobAtOther: Chatter;
let bobsCredentials: Credentials;

const aReplica = () => startApp({ DATABASE_URL: database.url, GATEFOLD_DATA_DIR: dataDir });

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await temporaryFolder('data');
  one = await aReplica();
  other = await aReplica();
  adaAtOne = new Chatter(await one.signInOnce('ada'));
  const bob = await one.signInOnce('bob');
  bobsCredentials = bob.credentials;
  bobAtOne = new Chatter(bob);
  bobAtOther = new Chatter(new ApiClient(other.url, bob.credentials));
});
afterAll(async () => {
  await one?.stop();
  await other?.stop();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Resolves as soon as this many requests wait at the replica. */
async function waiting(at: TestApp, count = 1): Promise<void> {
  const signals = at.inside(ChatSignals);
  await until(`${count} waiting requests`, () => signals.listening >= count);
}

const newest = async (who: Chatter, token: string) =>
  (await who.history(token, 'limit=1'))[0]?.id ?? 0;

describe('GET v1/chat/{token}?lookIntoFuture=1', () => {
  it('answers at once with existing messages, oldest first', async () => {
    const token = await adaAtOne.group('There', 'bob');
    const since = await newest(adaAtOne, token);
    const first = await adaAtOne.say(token, 'first');
    const second = await adaAtOne.say(token, 'second');

    const answer = await bobAtOne.poll(token, since);

    expect(messagesOf(answer).map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(answer.headers['x-chat-last-given']).toBe(String(second.id));
    expect(answer.headers['x-chat-last-common-read']).toBeDefined();
  });

  it.each([
    ['the same process', () => [one, bobAtOne] as const],
    ['another process', () => [other, bobAtOther] as const],
  ])('waits until a message is sent, at %s', async (_where, place) => {
    const [replica, bob] = place();
    const token = await adaAtOne.group('Waiting', 'bob');
    const poll = bob.poll(token, await newest(adaAtOne, token));
    await waiting(replica);

    await adaAtOne.say(token, 'finally');

    expect(messagesOf(await poll).map(({ message }) => message)).toEqual(['finally']);
  });

  it('is not ended by messages in other conversations', async () => {
    const token = await adaAtOne.group('Quiet', 'bob');
    const elsewhere = await adaAtOne.group('Loud', 'bob');
    const poll = bobAtOne.poll(token, await newest(adaAtOne, token));
    await waiting(one);

    await adaAtOne.say(elsewhere, 'noise');
    await adaAtOne.say(token, 'for you');

    expect(messagesOf(await poll).map(({ message }) => message)).toEqual(['for you']);
  });

  it('answers 304 after the timeout', async () => {
    const token = await adaAtOne.group('Silent', 'bob');

    const answer = await bobAtOne.poll(token, await newest(adaAtOne, token), 'timeout=0');

    expect([answer.status, answer.text]).toEqual([304, '']);
  });

  it('ends with 404 as soon as the reader is removed', async () => {
    const token = await adaAtOne.group('Removed', 'bob');
    const { attendeeId } = await adaAtOne.attendee(token, 'bob');
    const poll = bobAtOther.poll(token, await newest(adaAtOne, token));
    await waiting(other);

    await adaAtOne.data('DELETE', `v4/room/${token}/attendees`, { attendeeId });

    expect((await poll).status).toBe(404);
  });

  it('ends with 404 when the conversation is deleted', async () => {
    const token = await adaAtOne.group('Deleted', 'bob');
    const poll = bobAtOne.poll(token, await newest(adaAtOne, token));
    await waiting(one);

    await adaAtOne.data('DELETE', `v4/room/${token}`);

    expect((await poll).status).toBe(404);
  });

  it('ends when all participants have read further, if the client asks for it', async () => {
    const token = await adaAtOne.group('Read', 'bob');
    const before = (await adaAtOne.room(token)).lastCommonReadMessage;
    const { id } = await adaAtOne.say(token, 'read me');
    const poll = adaAtOne.poll(token, id, `timeout=30&lastCommonReadId=${before}`);
    await waiting(one);

    await bobAtOne.data('POST', `v1/chat/${token}/read`, {});

    const answer = await poll;
    expect([answer.status, messagesOf(answer)]).toEqual([200, []]);
    expect(answer.headers['x-chat-last-common-read']).toBe(String(id));
    expect(answer.headers['x-chat-last-given']).toBe(String(id));
  });

  it('marks the last known message as read, unless disabled', async () => {
    const token = await adaAtOne.group('Marked', 'bob');
    const { id } = await adaAtOne.say(token, 'seen');

    await bobAtOne.poll(token, id, 'timeout=0&setReadMarker=0');
    expect(await bobAtOne.room(token)).toMatchObject({ unreadMessages: 1 });
    await bobAtOne.poll(token, id, 'timeout=0');
    expect(await bobAtOne.room(token)).toMatchObject({ unreadMessages: 0, lastReadMessage: id });
  });

  it('stops waiting for a client that has disconnected', async () => {
    const token = await adaAtOne.group('Gone', 'bob');
    const timeline = one.inside(TimelineService);
    const ended = Promise.withResolvers<unknown>();
    const future = timeline.future.bind(timeline);
    timeline.future = async (...args) => {
      const found = await future(...args);
      ended.resolve(found);
      return found;
    };
    const request = http.get(
      `${one.url}/ocs/v2.php/apps/spreed/api/v1/chat/${token}?lookIntoFuture=1&timeout=60` +
        `&lastKnownMessageId=${await newest(adaAtOne, token)}`,
      { headers: { authorization: basic(bobsCredentials) } },
    );
    request.on('error', () => {});
    await waiting(one);

    request.destroy();

    expect(await within('the end of the wait', ended.promise)).toBeNull();
    expect(one.inside(ChatSignals).listening).toBe(0);
    timeline.future = future;
  });

  it('ends at every process when the user loses access', async () => {
    const eve = await one.signInOnce('eve');
    const token = await adaAtOne.group('Secret', 'eve');
    const polls = [one, other].map(async ({ url }) =>
      new Chatter(new ApiClient(url, eve.credentials)).poll(token, await newest(adaAtOne, token)),
    );
    await Promise.all([waiting(one), waiting(other)]);

    await one.inside(UsersService).disable('eve');
    const statuses = (await Promise.all(polls)).map(({ status }) => status);

    expect(statuses).toEqual([304, 304]);
  });

  it('ends the oldest of too many of a user', async () => {
    const token = await adaAtOne.group('Crowded', 'bob');
    const since = await newest(adaAtOne, token);
    const first = bobAtOne.poll(token, since, 'timeout=60');
    await waiting(one);
    const others = Array.from({ length: 30 }, () => bobAtOne.poll(token, since, 'timeout=60'));

    expect((await first).status).toBe(304);

    await waiting(one, 30);
    await adaAtOne.say(token, 'enough');
    const answers = await Promise.all(others);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('continues when the connection for notifications breaks', async () => {
    const token = await adaAtOne.group('Broken', 'bob');
    const poll = bobAtOne.poll(token, await newest(adaAtOne, token));
    await waiting(one);

    await one.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'listen%'`,
    );
    await adaAtOne.say(token, 'after all');

    expect(messagesOf(await poll).map(({ message }) => message)).toEqual(['after all']);
  });

  it('ends at once when the service stops', async () => {
    const token = await adaAtOne.group('Stopping', 'bob');
    const third = await aReplica();
    const bob = new Chatter(new ApiClient(third.url, bobsCredentials));
    const poll = bob.poll(token, await newest(adaAtOne, token), 'timeout=60');
    await waiting(third);

    await third.stop();

    expect((await poll).status).toBe(304);
  });
});
