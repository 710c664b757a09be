import { beforeAll, describe, expect, it } from '@jest/globals';
import http, { type IncomingMessage } from 'node:http';
import { Shares } from '../../src/common/http/shares.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { basic } from '../support/api-client.js';
import { DavClient } from '../support/dav-client.js';
import { rss, type FeedServer } from '../support/feed-server.js';
import { NewsClient } from '../support/news-client.js';
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
