import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { Config } from '../../../src/common/config/config.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { BlobSweep } from '../../../src/platform/files/content/blob-sweep.task.js';
import { storedContents } from '../../support/an-object-store.js';
import { DavClient, readDavError, readMultistatus } from '../../support/dav-client.js';
import { startApp, type TestApp } from '../../support/start-app.js';

let app: TestApp;
let ada: DavClient;
let uploads: DavClient;
beforeAll(async () => {
  app = await startApp({ GATEFOLD_FILES_QUOTA_BYTES: '1000' });
});
afterAll(() => app.stop());
beforeEach(async () => {
  const user = await app.signIn();
  ada = new DavClient(user);
  uploads = new DavClient(user, `/remote.php/dav/uploads/${user.credentials.userId}`);
  await uploads.folder('/one');
});

const finish = (to: string, headers: Record<string, string> = {}) =>
  uploads.call('MOVE', '/one/.file', {
    headers: { destination: `http://elsewhere.example${ada.root}${to}`, ...headers },
  });

describe('An upload in pieces', () => {
  it('becomes a file when it is finished, and not before', async () => {
    const put = await uploads.put('/one/000000000000000-000000000000004', 'low ');
    await uploads.put('/one/000000000000004-000000000000008', 'tide');
    const before = await ada.get('/tide%231.txt');
    const moved = await finish('/tide%231.txt', { 'x-oc-mtime': '1700000000' });

    expect([put.status, before.status, moved.status]).toEqual([201, 404, 201]);
    expect((await ada.get('/tide%231.txt')).text).toBe('low tide');
    const known = await ada.known('/tide%231.txt', ['oc:id', 'd:getetag', 'd:getlastmodified']);
    expect(known).toMatchObject({
      id: moved.headers['oc-fileid'],
      getetag: moved.headers['oc-etag'],
      getlastmodified: 'Tue, 14 Nov 2023 22:13:20 GMT',
    });
    expect((await uploads.remove('/one')).status).toBe(404);
  });

  it('is assembled by the numbers of its pieces, in any order of arrival', async () => {
    for (const number of [10, 2, 1, 0]) {
      await uploads.put(`/one/${number}`, `${number} `);
    }
    await finish('/numbers.txt');

    expect((await ada.get('/numbers.txt')).text).toBe('0 1 2 10 ');
  });

  it('accepts a piece again; the later one counts', async () => {
    await uploads.put('/one/1', 'wrong');
    const again = await uploads.put('/one/1', 'right');
    await finish('/a.txt');

    expect(again.status).toBe(204);
    expect((await ada.get('/a.txt')).text).toBe('right');
  });

  it('without pieces is an empty file', async () => {
    expect((await finish('/empty.txt')).status).toBe(201);
    expect((await ada.get('/empty.txt')).text).toBe('');
  });

  it('overwrites a file, unless a condition prevents it', async () => {
    await ada.put('/a.txt', 'old');
    await uploads.put('/one/1', 'new');

    expect((await finish('/a.txt', { overwrite: 'F' })).status).toBe(412);
    expect((await finish('/a.txt', { 'if-match': '"another"' })).status).toBe(412);
    expect((await finish('/a.txt')).status).toBe(204);
    expect((await ada.get('/a.txt')).text).toBe('new');
  });

  it('can be resumed after a rejection, and after an abort', async () => {
    await uploads.put('/one/1', 'tide');
    const tooEarly = await finish('/a.txt', { 'oc-total-length': '5' });
    const noFolder = await finish('/none/a.txt');
    const damaged = await finish('/a.txt', { 'oc-checksum': 'MD5:00' });
    const come = readMultistatus(
      await uploads.call('PROPFIND', '/one', { headers: { depth: '1' } }),
    ).map(({ href, found }) => [path.basename(href), found['getcontentlength']]);

    expect([tooEarly.status, noFolder.status, damaged.status]).toEqual([400, 409, 400]);
    expect(come).toEqual([
      ['one', undefined],
      ['1', '4'],
    ]);
    expect((await finish('/a.txt', { 'oc-total-length': '4' })).status).toBe(201);
  });

  it('is rejected beyond the quota', async () => {
    await uploads.put('/one/1', 'a'.repeat(600));
    await uploads.folder('/two');
    const piece = await uploads.put('/two/1', 'a'.repeat(401));
    await ada.put('/there.bin', 'a'.repeat(401));

    expect(piece.status).toBe(507);
    expect((await finish('/a.bin')).status).toBe(507);
  });

  it.each(['..%2F1', 'first', '1%00', '1/2'])('cannot have a piece called %s', async (name) => {
    expect([400, 404, 405]).toContain((await uploads.put(`/one/${name}`, 'x')).status);
    expect((await finish('/a.txt', { 'oc-total-length': '0' })).status).toBe(201);
  });

  it('cannot be started twice', async () => {
    expect((await uploads.folder('/one')).status).toBe(405);
    expect((await uploads.put('/none/1', 'x')).status).toBe(404);
  });

  it('is private to its user', async () => {
    const bob = new DavClient(await app.signIn(), uploads.root);
    await uploads.put('/one/1', 'of ada');
    const tries = [
      await bob.folder('/two'),
      await bob.put('/one/2', 'x'),
      await bob.call('PROPFIND', '/one'),
      await bob.call('MOVE', '/one/.file', { headers: { destination: `${ada.root}/a.txt` } }),
      await bob.remove('/one'),
    ];
    const intoBobs = await uploads.call('MOVE', '/one/.file', {
      headers: { destination: `/remote.php/dav/files/${bob.user.credentials.userId}/a.txt` },
    });
    const stranger = await app.asStranger().call('MKCOL', `${uploads.root}/three`);

    expect(tries.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(intoBobs.status).toBe(404);
    expect(stranger.status).toBe(401);
    expect(readDavError(stranger).exception).toBe('Sabre\\DAV\\Exception\\NotAuthenticated');
    expect((await finish('/a.txt')).status).toBe(201);
  });
});

describe('Stored pieces of an upload', () => {
  const sweep = () => app.inside(BlobSweep).sweep(0);
  const contents = async () => (await storedContents(app.inside(Config))).length;

  it('are kept while it continues, and deleted when it is finished', async () => {
    await sweep();
    const before = await contents();
    await uploads.put('/one/1', 'a');
    await uploads.put('/one/2', 'b');
    await uploads.put('/one/2', 'c');
    await sweep();
    const meanwhile = await contents();
    await finish('/a.txt');
    await sweep();

    expect([meanwhile - before, (await contents()) - before]).toEqual([2, 1]);
    expect((await ada.get('/a.txt')).text).toBe('ac');
  });

  it('are deleted when the upload is cancelled, idle for a day, or the account is deleted', async () => {
    await sweep();
    const before = await contents();
    for (const name of ['/one', '/two', '/three']) {
      await uploads.folder(name);
      await uploads.put(`${name}/1`, 'x');
    }
    const { userId } = ada.user.credentials;
    await uploads.remove('/one');
    await app.database.query(
      `update file_upload set touched_at = now() - interval '25 hours' where name = 'two'`,
    );
    await sweep();
    expect((await contents()) - before).toBe(1);
    expect((await uploads.put('/two/2', 'x')).status).toBe(404);

    await app.inside(UsersService).delete(userId);
    await sweep();
    expect((await contents()) - before).toBe(0);
  });
});
