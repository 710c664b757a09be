import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import http, { type IncomingMessage } from 'node:http';
import { Rights } from '../../src/common/auth/rights.js';
import { senderOfUser } from '../../src/common/http/sender.js';
import { Shares } from '../../src/common/http/shares.js';
import { ItemsRepository } from '../../src/news/reader/items/items.repository.js';
import { RefreshService } from '../../src/news/refresh/refresh.service.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { AppPasswordsService } from '../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { ApiClient, basic } from '../support/api-client.js';
import { DavClient } from '../support/dav-client.js';
import { rss, type FeedServer } from '../support/feed-server.js';
import { NewsClient, ok } from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import { sharedService, type SharedService } from '../support/shared-service.js';
import type { TestUser } from '../support/start-app.js';
import { once, until, within } from '../support/until.js';

/* What is under way when the right to it ends: it ends, too. */

const MIB = 1024 * 1024;
/** More than the buffers of both ends of a connection take. */
const LARGE_BYTES = 48 * MIB;

let app: SharedService;
let publisher: FeedServer;
beforeAll(async () => {
  ({ app, publisher } = await sharedService());
});
afterEach(() => void jest.restoreAllMocks());

const disable = ({ credentials }: TestUser) => app.inside(UsersService).disable(credentials.userId);

/** An answer of which the client has read the head alone. */
async function begun(user: TestUser, path: string): Promise<IncomingMessage> {
  const request = http.get(app.url + path, { headers: { authorization: basic(user.credentials) } });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  // The service closes the connection before everything is sent.
  return answer.on('error', () => {});
}

async function bytesUntilEnd(answer: IncomingMessage): Promise<number> {
  let bytes = 0;
  answer.on('data', (piece: Buffer) => (bytes += piece.length));
  await within('the end', new Promise((resolve) => answer.once('close', resolve)));
  return bytes;
}

/** The requests of this spec: of users, in this process. */
const underWay = () => app.inside(Shares).count('requests');

/** @returns the address of the user's folder, which has a large file */
async function storePhotos(user: TestUser): Promise<string> {
  const files = new DavClient(user);
  await files.call('MKCOL', '/Photos');
  await files.call('PUT', '/Photos/large', { body: Buffer.alloc(LARGE_BYTES) });
  return `/remote.php/dav/files/${user.credentials.userId}/Photos`;
}

describe('An answer that has begun', () => {
  it('ends with the account: a file, and an archive of a folder', async () => {
    const user = await app.signIn();
    const photos = await storePhotos(user);
    const file = await begun(user, `${photos}/large`);
    const archive = await begun(user, `${photos}?accept=zip`);

    await disable(user);
    await until('the end of both', () => underWay() === 0);

    expect(file.statusCode).toBe(200);
    expect(await bytesUntilEnd(file)).toBeLessThan(LARGE_BYTES);
    expect(await bytesUntilEnd(archive)).toBeLessThan(LARGE_BYTES);
  });
});

describe('A change that takes long', () => {
  const subscriptions = (user: TestUser) => new NewsClient(user, 'v1-3').feedList();

  it('is not made when the account is disabled meanwhile; for others the same work goes on', async () => {
    const [ada, bob] = [await app.signIn(), await app.signIn()];
    const url = publisher.url('/slow.xml');
    const photos = await storePhotos(ada);
    const published = Promise.withResolvers<void>();
    publisher.publish('/slow.xml', rss({ title: 'Slow', items: [] }), {
      delayUntil: published.promise,
    });
    const [ofAda, ofBob] = [ada, bob].map((user) =>
      user.call('POST', '/apps/news/api/v1-3/feeds', { json: { url } }),
    );
    await publisher.whenAsked('/slow.xml');
    await begun(ada, `${photos}/large`);

    await disable(ada);
    // It arrived last, so about the others it is decided already.
    await until('the end of the download', () => underWay() === 2);
    published.resolve();

    expect((await ofAda)?.status).toBe(401);
    expect((await ofBob)?.status).toBe(200);
    await app.inside(UsersService).enable(ada.credentials.userId);
    expect((await subscriptions(ada)).feeds).toEqual([]);
    expect((await subscriptions(bob)).feeds).toHaveLength(1);
  });
});

describe('What programs of one user wait for together', () => {
  /** A program with a password of its own. */
  async function program({ credentials: { userId } }: TestUser, name: string) {
    const passwords = app.inside(AppPasswordsService);
    const { id, token } = await passwords.add(userId, name);
    return {
      name,
      news: new NewsClient(new ApiClient(app.url, { userId, password: token }), 'v1-3'),
      /** Resolves when it is decided about all requests of the user again. */
      async revoke() {
        await passwords.revoke(userId, id);
        await app.inside(Rights).changed(senderOfUser(userId).key);
      },
    };
  }

  async function subscribe(user: TestUser, path: string) {
    const items = ['one', 'two', 'three'].map((title) => ({ title, guid: title }));
    publisher.publish(path, rss({ title: path, items }));
    return new NewsClient(user, 'v1-3').subscribe(publisher.url(path));
  }

  /** Holds the lock of the user's items until `release`. */
  async function holdLock({ credentials: { userId } }: TestUser) {
    const { id } = await readerOf(app, userId);
    const held = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const holding = app.database.transaction(async (tx) => {
      await tx.query('select from reader where id = $1 for update', [id]);
      held.resolve();
      await release.promise;
    });
    await within('the lock of the reader', held.promise);
    return {
      async release() {
        release.resolve();
        await holding;
      },
    };
  }

  const isSomebodyWaiting = async () => {
    const waiting = await app.database.query(
      `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
          and query like 'select 1 from reader % for update'`,
    );
    return waiting.length > 0;
  };

  it.each([
    [['phone'], [401, 200, 200]],
    [['tablet'], [200, 401, 200]],
    [
      ['phone', 'watch'],
      [401, 200, 401],
    ],
  ])('is refused to whose password is revoked, and to no other: %s', async (revoked, statuses) => {
    const user = await app.signIn();
    await subscribe(user, `/flags-${revoked.join('-')}.xml`);
    const items = await new NewsClient(user, 'v1-3').items();
    const programs = [
      await program(user, 'phone'),
      await program(user, 'tablet'),
      await program(user, 'watch'),
    ];
    const changes = jest.spyOn(app.inside(ItemsRepository), 'changeFlags');
    const lock = await holdLock(user);
    const answers = [];
    for (const [n, { news }] of programs.entries()) {
      answers.push(news.post(`/items/${items[n]?.id}/read`));
      await until('the change', () => changes.mock.calls.length === n + 1);
      await until('a wait for the lock', isSomebodyWaiting);
    }

    for (const one of programs.filter(({ name }) => revoked.includes(name))) {
      await one.revoke();
    }
    await lock.release();

    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(statuses);
    const after = await new NewsClient(user, 'v1-3').items();
    const unread = items.map(({ id }) => after.find((item) => item.id === id)?.unread);
    // The change of the phone was with the database already.
    expect(unread).toEqual([false, statuses[1] !== 200, statuses[2] !== 200]);
  });

  it('is fetched for who joined a refresh, when who began it may do nothing more', async () => {
    const user = await app.signIn();
    const feed = await subscribe(user, '/joined.xml');
    await app.database.query(
      `update source set fetched_at = now() - interval '1 hour'
         from subscription where subscription.id = $1 and source.id = source_id`,
      [feed.id],
    );
    const published = Promise.withResolvers<void>();
    publisher.publish('/joined.xml', rss({ title: 'Joined', items: [] }), {
      delayUntil: published.promise,
    });
    const [phone, tablet] = [await program(user, 'phone'), await program(user, 'tablet')];
    const refreshes = jest.spyOn(app.inside(RefreshService), 'refresh');
    const ofPhone = phone.news.post('/feeds/refresh');
    await publisher.whenAsked('/joined.xml', 2);
    const ofTablet = tablet.news.post('/feeds/refresh');
    await until('the second request', () => refreshes.mock.calls.length === 2);

    await phone.revoke();
    published.resolve();

    expect((await ofPhone).status).toBe(401);
    expect(await ok(ofTablet)).toMatchObject({ asked: 1, failures: [] });
  });
});
