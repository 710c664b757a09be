import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Config } from '../../../src/common/config/config.js';
import { BlobSweep } from '../../../src/platform/files/content/blob-sweep.task.js';
import { ContentMoves } from '../../../src/platform/files/stores/content-moves.service.js';
import {
  anObjectStore,
  storedContents,
  whyNoObjectStore,
  type AnObjectStore,
  type BucketOfTests,
} from '../../support/an-object-store.js';
import { ApiClient } from '../../support/api-client.js';
import { DavClient } from '../../support/dav-client.js';
import { runCommand, type CommandRun } from '../../support/run-command.js';
import { ADMIN, startApp, type TestApp, type TestUser } from '../../support/start-app.js';
import { within } from '../../support/until.js';

const why = whyNoObjectStore();
const title = `files:move${why === undefined ? '' : ` (SKIPPED: ${why})`}`;

(why === undefined ? describe : describe.skip)(title, () => {
  let store: AnObjectStore;
  let bucket: BucketOfTests;
  let first: TestApp;
  let here: Record<string, string>;
  const services: TestApp[] = [];
  beforeAll(async () => {
    store = await anObjectStore();
    bucket = await store.newBucket();
    first = await startApp({ GATEFOLD_FILES_STORE: 'folder' });
    const { databaseUrl = '', dataDir } = first.inside(Config);
    here = { DATABASE_URL: databaseUrl, GATEFOLD_DATA_DIR: dataDir };
  });
  afterAll(async () => {
    for (const app of services) {
      await app.app.close();
    }
    await first?.stop();
    await store?.stop();
  });

  /** The service after a restart with these settings. */
  const restarted = async (settings: Readonly<Record<string, string>>) => {
    const app = await startApp({ ...here, ...settings });
    services.push(app);
    return app;
  };
  const filesIn = (app: TestApp) =>
    new DavClient(Object.assign(new ApiClient(app.url, ADMIN), { credentials: ADMIN }) as TestUser);
  const move = (to: string, settings: Readonly<Record<string, string>>, ...more: string[]) =>
    runCommand(['files:move', '--to', to, ...more], { ...here, ...settings }, undefined, 150);
  const contents = new Map<string, string>();
  const put = async (files: DavClient, name: string, bytes: number) => {
    const text = randomBytes(bytes).toString('base64');
    expect((await files.put(name, text)).status).toBeLessThan(300);
    contents.set(name, text);
  };
  const expectAll = async (files: DavClient) => {
    for (const [name, text] of contents) {
      const answer = await files.get(name);
      expect([name, answer.status, answer.text === text]).toEqual([name, 200, true]);
    }
  };
  const inFolder = async () =>
    (
      await readdir(path.join(String(here['GATEFOLD_DATA_DIR']), 'files'), {
        recursive: true,
        withFileTypes: true,
      })
    ).filter((entry) => entry.isFile() && !entry.name.startsWith('.')).length;
  const said = ({ output, complaints, code }: CommandRun) => `${code} ${output}${complaints}`;

  it('refuses a store that the settings do not name', async () => {
    const refused = await move(bucket.address, {});

    expect(said(refused)).toMatch(/^1 .*Set GATEFOLD_FILES_STORE to s3:\/\/tests-/);
    expect(said(refused)).not.toContain('endpoint');
    expect(said(await move('s3://a:b@c/d', bucket.settings))).toContain('must be without keys');
  });

  it('moves contents into an object store while people read, write and delete', async () => {
    const before = filesIn(first);
    for (let n = 0; n < 30; n += 1) {
      await put(before, `/file-${n}.txt`, 20_000);
    }
    await put(before, '/large.bin', 9_000_000);
    await put(before, '/empty.txt', 0);
    expect((await before.copy('/file-0.txt', '/copy.txt')).status).toBe(201);
    contents.set('/copy.txt', String(contents.get('/file-0.txt')));
    const uploads = new DavClient(before.user, `/remote.php/dav/uploads/${ADMIN.userId}`);
    await uploads.folder('/one');
    await uploads.put('/one/1', 'piece');

    const app = await restarted(bucket.settings);
    const files = filesIn(app);
    await expectAll(files);

    const running = { isMoving: true };
    const moving = move(bucket.address, bucket.settings).finally(() => (running.isMoving = false));
    const statuses: number[] = [];
    let changes = 0;
    while (running.isMoving) {
      await put(files, `/new-${changes}.txt`, 1000);
      await put(files, `/file-${changes % 30}.txt`, 5000);
      statuses.push((await files.get('/large.bin')).status);
      if (changes % 5 === 4) {
        statuses.push((await files.remove(`/new-${changes}.txt`)).status);
        contents.delete(`/new-${changes}.txt`);
        await app.inside(BlobSweep).sweep(0);
      }
      changes += 1;
    }
    const moved = await moving;

    expect(moved.complaints).toBe('');
    expect(said(moved)).toMatch(/^0 Moved \d+ contents .* 0 are left\./s);
    expect(changes).toBeGreaterThan(0);
    expect(statuses.filter((status) => ![200, 204].includes(status))).toEqual([]);
    await expectAll(files);
    const elsewhere = await app.database.query(
      `select from file_node n where blob_id is not null
          and not exists (select from file_blob_place p where p.blob_id = n.blob_id)`,
    );
    expect(elsewhere).toEqual([]);
    // The old ones are kept for a day, then deleted.
    expect(await inFolder()).toBeGreaterThan(0);
    await app.database.query('update file_blob_leftover set due_at = now()');
    await app.inside(BlobSweep).sweep(0);
    expect(await inFolder()).toBe(0);
    await expectAll(files);
    const headers = { destination: `${files.root}/pieces.txt` };
    const finish = new DavClient(files.user, uploads.root);
    expect((await finish.call('MOVE', '/one/.file', { headers })).status).toBe(201);
    contents.set('/pieces.txt', 'piece');
  }, 180_000);

  it('moves nothing twice', async () => {
    const again = await move(bucket.address, bucket.settings);
    expect(said(again)).toMatch(/^0 Moved 0 contents of files .* 0 are left\./);
  });

  it('continues after an interruption, and is done by one process at a time', async () => {
    const other = await store.newBucket('other');
    const settings = {
      ...bucket.settings,
      GATEFOLD_FILES_STORE: other.address,
      GATEFOLD_FILES_FORMER_STORE: bucket.address,
    };
    const app = await restarted(settings);
    const abort = new AbortController();
    const options = { keepSeconds: 0, parallel: 1, signal: abort.signal };
    const moves = app.inside(ContentMoves);
    const meanwhile = Promise.withResolvers<unknown>();
    const onProgress = (done: number) => {
      if (done === 2) {
        moves.move(options).then(meanwhile.resolve, meanwhile.resolve);
      }
      if (done === 5) {
        abort.abort();
      }
    };

    const { contents: done, left } = await moves.move({ ...options, onProgress });

    expect(await within('the end of the other move', meanwhile.promise)).toEqual(
      new Error('Another process moves contents already.'),
    );
    expect([done >= 5, left > 0]).toEqual([true, true]);
    await expectAll(filesIn(app));

    const finished = await move(other.address, settings, '--keep-hours', '0', '--parallel', '8');
    expect(said(finished)).toMatch(/^0 Moved \d+ contents .* 0 are left\./s);
    await app.inside(BlobSweep).sweep(0);
    expect(await bucket.keys()).toEqual(['files/.gatefold-files']);
    await expectAll(filesIn(app));
  }, 180_000);

  it('moves back into the folder, and leaves what is damaged', async () => {
    const [row] = await first.database.query<{ address: string }>(
      `select s.address from file_store s where exists (select from file_blob_place p where p.store_id = s.id)`,
    );
    const former = bucket.address.replace(/^s3:\/\/[^?]*/, String(row?.address));
    const settings = {
      ...bucket.settings,
      GATEFOLD_FILES_STORE: 'folder',
      GATEFOLD_FILES_FORMER_STORE: former,
    };
    const app = await restarted(settings);
    const files = filesIn(app);
    const [damaged] = await app.database.query<{ id: string }>(
      `update file_node set checksum = 'SHA1:' || repeat('0', 40) where name = 'copy.txt'
       returning blob_id as id`,
    );
    await app.database.query('update file_node set checksum = $1 where blob_id = $2', [
      `SHA1:${'0'.repeat(40)}`,
      damaged?.id,
    ]);

    const moved = await move('folder', settings, '--keep-hours', '0');

    expect(said(moved)).toMatch(/^1 .* 1 are left\..*is damaged.*1 contents could not be moved/s);
    await expectAll(files);
    await app.inside(BlobSweep).sweep(0);
    await expectAll(files);
    const stored = await storedContents(app.inside(Config));
    expect(stored).not.toContain(damaged?.id);
    expect(await inFolder()).toBe(stored.length);
    expect(stored.length).toBeGreaterThan(30);
  }, 180_000);
});
