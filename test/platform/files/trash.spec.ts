import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../../src/common/clock.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { BlobSweep } from '../../../src/platform/files/content/blob-sweep.task.js';
import { TrashSweep } from '../../../src/platform/files/trash/trash-sweep.task.js';
import { TreeRemovals } from '../../../src/platform/files/tree/tree-removals.task.js';
import { DavClient } from '../../support/dav-client.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { TrashClient } from '../../support/trash-client.js';

let app: TestApp;
let ada: DavClient;
let trash: TrashClient;
beforeAll(async () => {
  app = await startApp({
    GATEFOLD_FILES_QUOTA_BYTES: '1000',
    GATEFOLD_LIMITS: 'trash-entries-per-user=3 files-per-user=20',
  });
});
afterAll(() => app.stop());
beforeEach(async () => {
  ada = new DavClient(await app.signIn());
  trash = new TrashClient(ada.user);
  await ada.folder('/a');
  await ada.folder('/a/b');
  await ada.put('/a/b/one.txt', '1', { 'x-oc-mtime': '1700000000' });
});

const idOf = async (path: string) => String(await ada.property(path, 'oc:fileid'));

/** Deletes what is at the path. @returns the id of its entry in the trash */
async function deleted(path: string): Promise<string> {
  const id = await idOf(path);
  expect((await ada.remove(path)).status).toBe(204);
  return id;
}

describe('A deleted file', () => {
  it('is in the trash, with its name, former place and time of deletion', async () => {
    const id = await deleted('/a/b/one.txt');

    expect((await ada.get('/a/b/one.txt')).status).toBe(404);
    expect(await trash.list()).toEqual([
      {
        id,
        'trashbin-filename': 'one.txt',
        'trashbin-original-location': 'a/b/one.txt',
        'trashbin-deletion-time': expect.stringMatching(/^\d{10}$/),
        getcontenttype: 'text/plain',
        size: '1',
      },
    ]);
  });

  it('takes no quota and is found by no search', async () => {
    const id = await deleted('/a/b/one.txt');

    expect(await ada.property('/', 'd:quota-used-bytes')).toBe('0');
    expect((await ada.user.get(`/core/preview?fileId=${id}`)).status).toBe(404);
  });

  it('is restored with its id, time, favorite mark and content', async () => {
    await ada.patch('/a/b/one.txt', '<d:set><d:prop><oc:favorite>1</oc:favorite></d:prop></d:set>');
    const names = ['oc:fileid', 'd:getlastmodified', 'd:getetag', 'oc:favorite', 'oc:size'];
    const before = await ada.known('/a/b/one.txt', names);
    const id = await deleted('/a/b/one.txt');

    const { status, headers } = await trash.restore(id);

    expect([status, headers['location']]).toEqual([201, `${ada.root}/a/b/one.txt`]);
    expect(await ada.known('/a/b/one.txt', names)).toEqual(before);
    expect((await ada.get('/a/b/one.txt')).text).toBe('1');
    expect(await trash.list()).toEqual([]);
    expect((await trash.restore(id)).status).toBe(404);
  });

  it('gets a number when its name is in use again', async () => {
    const first = await deleted('/a/b/one.txt');
    await ada.put('/a/b/one.txt', 'new');
    const second = await deleted('/a/b/one.txt');
    await ada.put('/a/b/one.txt', 'newest');

    await trash.restore(first);
    await trash.restore(second);

    expect(await ada.names('/a/b')).toEqual(['one (2).txt', 'one (3).txt', 'one.txt']);
    expect((await ada.get('/a/b/one (2).txt')).text).toBe('1');
    expect((await ada.get('/a/b/one.txt')).text).toBe('newest');
  });

  it('keeps a name of the greatest length short enough', async () => {
    const name = `${'ä'.repeat(123)}.txt`;
    await ada.put(`/${encodeURIComponent(name)}`, 'old');
    const id = await deleted(`/${encodeURIComponent(name)}`);
    await ada.put(`/${encodeURIComponent(name)}`, 'new');

    expect((await trash.restore(id)).status).toBe(201);
    expect(await ada.names('/')).toContain(`${'ä'.repeat(118)} (2).txt`);
  });

  it('follows its folder when that was renamed', async () => {
    const id = await deleted('/a/b/one.txt');
    await ada.move('/a', '/z');

    await trash.restore(id);

    expect(await ada.names('/z/b')).toEqual(['one.txt']);
  });

  it('brings its folders back when they were deleted', async () => {
    const id = await deleted('/a/b/one.txt');
    await ada.remove('/a');
    await ada.put('/a', 'a file of this name');

    const { headers } = await trash.restore(id);

    expect(headers['location']).toBe(`${ada.root}/a%20(2)/b/one.txt`);
    expect((await ada.get('/a (2)/b/one.txt')).text).toBe('1');
  });

  it('is not restored into a locked folder', async () => {
    const id = await deleted('/a/b/one.txt');
    await ada.call('LOCK', '/a/b', {
      body: '<d:lockinfo xmlns:d="DAV:"><d:lockscope><d:exclusive/></d:lockscope><d:locktype><d:write/></d:locktype></d:lockinfo>',
    });

    expect((await trash.restore(id)).status).toBe(423);
    expect(await trash.ids()).toEqual([id]);
  });

  it('is deleted for good by itself, or with the whole trash', async () => {
    const id = await deleted('/a/b/one.txt');
    expect((await trash.remove(id)).status).toBe(204);
    expect((await trash.remove(id)).status).toBe(404);

    await deleted('/a');
    expect((await trash.empty()).status).toBe(204);
    expect(await trash.list()).toEqual([]);
    await app.inside(BlobSweep).sweep(0);
    expect((await trash.empty()).status).toBe(204);
  });
});

describe('A deleted folder', () => {
  it('is one entry, and comes back with everything in it', async () => {
    const id = await deleted('/a');
    expect(await trash.ids()).toEqual([id]);

    await trash.restore(id);

    expect((await ada.get('/a/b/one.txt')).text).toBe('1');
    expect(await ada.property('/', 'oc:size')).toBe('1');
    expect(await trash.list()).toEqual([]);
  });
});

describe('What was overwritten', () => {
  it('is not in the trash', async () => {
    await ada.put('/two.txt', '2');
    await ada.move('/two.txt', '/a/b/one.txt');
    await ada.copy('/a/b', '/a', { depth: 'infinity' });

    expect(await trash.list()).toEqual([]);
  });
});

describe('The trash', () => {
  it('gives way to files: the oldest entries go first', async () => {
    await ada.put('/old.bin', 'o'.repeat(400));
    await ada.put('/new.bin', 'n'.repeat(400));
    const [old, recent] = [await deleted('/old.bin'), await deleted('/new.bin')];
    const sweep = app.inside(TrashSweep);

    await sweep.sweep();
    expect((await trash.ids()).toSorted()).toEqual([old, recent].toSorted());
    expect((await ada.put('/file.bin', 'f'.repeat(500))).status).toBe(201);
    await sweep.sweep();

    expect(await trash.ids()).toEqual([recent]);
    expect((await ada.put('/more.bin', 'm'.repeat(400))).status).toBe(201);
    await ada.remove('/file.bin');
    expect(await trash.list()).toHaveLength(1);
  });

  it('has a limited number of entries', async () => {
    const ids: string[] = [];
    for (const name of ['1', '2', '3', '4']) {
      await ada.put(`/${name}`, name);
      ids.push(await deleted(`/${name}`));
    }

    expect((await trash.ids()).toSorted()).toEqual(ids.slice(1).toSorted());
  });

  it('leaves files beside it no more than the limit of nodes', async () => {
    await ada.folder('/many');
    for (let index = 0; index < 10; index += 1) {
      await ada.put(`/many/${index}`, '');
    }
    await deleted('/many');
    await ada.folder('/other');
    for (let index = 0; index < 10; index += 1) {
      expect((await ada.put(`/other/${index}`, '')).status).toBe(201);
    }

    await app.inside(TrashSweep).sweep();

    expect(await trash.list()).toEqual([]);
  });

  it('is emptied of what was deleted 30 days ago', async () => {
    const clock = app.inside(Clock);
    const id = await deleted('/a/b/one.txt');
    const now = Date.now();
    try {
      clock.now = () => new Date(now + 29 * 86_400_000);
      await app.inside(TrashSweep).sweep();
      expect(await trash.ids()).toEqual([id]);
      clock.now = () => new Date(now + 30 * 86_400_000 + 2000);
      await app.inside(TrashSweep).sweep();
    } finally {
      clock.now = () => new Date();
    }

    expect(await trash.list()).toEqual([]);
    const rows = await app.database.query('select from file_node where id = $1', [Number(id)]);
    expect(rows).toEqual([]);
  });

  it('belongs to its user alone', async () => {
    const id = await deleted('/a/b/one.txt');
    const bob = await app.signIn();
    const bobs = new TrashClient(bob);
    const adas = new TrashClient(bob, ada.user.credentials.userId);

    expect((await bobs.restore(id)).status).toBe(404);
    expect((await bobs.remove(id)).status).toBe(404);
    expect((await adas.answer()).status).toBe(404);
    expect((await adas.restore(id)).status).toBe(404);
    expect((await adas.empty()).status).toBe(404);
    await bobs.empty();
    expect(await trash.ids()).toEqual([id]);
    const path = `/remote.php/dav/trashbin/${ada.user.credentials.userId}/trash`;
    expect((await app.asStranger().call('PROPFIND', path)).status).toBe(401);
  });

  it('goes with its account', async () => {
    const { userId } = ada.user.credentials;
    await deleted('/a');

    await app.inside(UsersService).delete(userId);

    await app.inside(TreeRemovals).drain();
    expect(await app.database.query('select from file_trash where user_id = $1', [userId])).toEqual(
      [],
    );
    expect(await app.database.query('select from file_node where user_id = $1', [userId])).toEqual(
      [],
    );
  });

  it('is announced in the capabilities', async () => {
    const { text } = await ada.user.get('/ocs/v2.php/cloud/capabilities?format=json');

    expect(text).toContain('"undelete":true');
  });
});

describe('A large folder in the trash', () => {
  it('comes back whole, and is removed in the background when it is deleted for good', async () => {
    const other = await startApp();
    try {
      const bob = new DavClient(await other.signIn());
      const bobs = new TrashClient(bob.user);
      const nodes = async () =>
        (await other.database.query('select from file_node where name <> $1', [''])).length;
      await bob.folder('/large');
      // More than one batch of the removal.
      for (let index = 1; index < 2048; index *= 2) {
        await bob.copy('/large', '/twin');
        await bob.move('/twin', `/large/${index}`);
      }
      const whole = await nodes();
      await bob.remove('/large');
      const [id = ''] = await bobs.ids();

      expect((await bobs.restore(id)).status).toBe(201);
      expect(await nodes()).toBe(whole);
      expect(await bob.names('/large')).toHaveLength(11);
      await bob.remove('/large');
      await bobs.empty();
      await other.inside(TreeRemovals).drain();
      expect(await nodes()).toBe(0);
    } finally {
      await other.stop();
    }
  });
});

describe('Without a trash', () => {
  it('deletions are final', async () => {
    const other = await startApp({ GATEFOLD_TRASH_DAYS: '0' });
    try {
      const bob = new DavClient(await other.signIn());
      await bob.put('/a.txt', 'a');
      await bob.remove('/a.txt');

      expect(await new TrashClient(bob.user).list()).toEqual([]);
      const { text } = await bob.user.get('/ocs/v2.php/cloud/capabilities?format=json');
      expect(text).toContain('"undelete":false');
    } finally {
      await other.stop();
    }
  });
});
