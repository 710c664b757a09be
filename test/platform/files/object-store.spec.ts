import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { Config } from '../../../src/common/config/config.js';
import { Metrics } from '../../../src/common/metrics/metrics.js';
import { InstallationChecks } from '../../../src/common/ports/installation-checks.js';
import { BlobSweep } from '../../../src/platform/files/content/blob-sweep.task.js';
import { ContentStores } from '../../../src/platform/files/stores/content-stores.service.js';
import {
  anObjectStore,
  whyNoObjectStore,
  type AnObjectStore,
  type BucketOfTests,
} from '../../support/an-object-store.js';
import { basic } from '../../support/api-client.js';
import { DavClient, readDavError } from '../../support/dav-client.js';
import { responseTo } from '../../support/response-to.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { until, within } from '../../support/until.js';

const MIB = 1024 ** 2;
const MARKER = 'files/.gatefold-files';

const why = whyNoObjectStore();
const title = `Contents in an object store${why === undefined ? '' : ` (SKIPPED: ${why})`}`;

(why === undefined ? describe : describe.skip)(title, () => {
  let store: AnObjectStore;
  let bucket: BucketOfTests;
  let app: TestApp;
  let ada: DavClient;
  beforeAll(async () => {
    store = await anObjectStore();
    bucket = await store.newBucket();
    app = await startApp(bucket.settings);
  });
  afterAll(async () => {
    await app?.stop();
    await store?.stop();
  });
  beforeEach(async () => {
    ada = new DavClient(await app.signIn());
  });

  const sweep = () => app.inside(BlobSweep).sweep(0);
  const ready = () => app.asStranger().get('/health/ready');
  const leftovers = async () => (await app.database.query('select from file_blob_leftover')).length;

  it('come back byte by byte, in several parts and in ranges, and nothing is in the folder', async () => {
    const content = randomBytes(20 * MIB);
    expect((await ada.call('PUT', '/large.bin', { body: content })).status).toBe(201);

    expect(sha256(await bytesOf('/large.bin'))).toBe(sha256(content));
    const at = 9 * MIB;
    expect(await bytesOf('/large.bin', `bytes=${at}-${at + 99}`)).toEqual(
      content.subarray(at, at + 100),
    );
    expect(await bytesOf('/large.bin', 'bytes=-7')).toEqual(content.subarray(-7));
    const { dataDir } = app.inside(Config);
    expect(await readdir(path.join(dataDir, 'files'))).toEqual(['.gatefold-files']);
    expect(await bucket.unfinished()).toEqual([]);
    expect(await leftovers()).toBe(0);
  });

  it('have generated names below the prefix, beside a marker', async () => {
    await ada.put('/named.txt', 'x');

    const keys = await bucket.keys();
    expect(keys).toContain(MARKER);
    for (const key of keys.filter((one) => one !== MARKER)) {
      expect(key).toMatch(/^files\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    }
  });

  it('are deleted after the last file that refers to them', async () => {
    await sweep();
    const before = await bucket.keys();
    await ada.put('/a.txt', '1');
    await ada.put('/a.txt', '2');
    await ada.copy('/a.txt', '/b.txt');
    await sweep();
    expect((await bucket.keys()).length).toBe(before.length + 1);

    await ada.call('DELETE', '/a.txt');
    await ada.call('DELETE', '/b.txt');
    await app.database.query('delete from file_node where user_id is null');
    await sweep();

    expect(await bucket.keys()).toEqual(before);
    expect(await leftovers()).toBe(0);
  });

  it('of an upload that its client aborts, or that has a wrong checksum, do not stay', async () => {
    await sweep();
    const before = await bucket.keys();
    const request = putOf('/aborted.bin', { 'content-length': String(40 * MIB) });
    const gone = new Promise((resolve) => request.once('error', resolve));
    request.write(randomBytes(20 * MIB));
    await until('the upload to begin', async () => (await bucket.unfinished()).length === 1);
    request.destroy(new Error('gone'));
    await gone;
    await until('the upload to be aborted', async () => (await bucket.unfinished()).length === 0);
    const wrong = { 'oc-checksum': `SHA1:${'0'.repeat(40)}` };
    expect((await ada.put('/wrong.txt', 'x', wrong)).status).toBe(400);

    await until('a sweep that leaves nothing', async () => {
      await sweep();
      return (await leftovers()) === 0;
    });
    expect(await bucket.keys()).toEqual(before);
    expect(await ada.names('/')).toEqual([]);
  });

  it('of a process that died during an upload are deleted a day later', async () => {
    await sweep();
    const before = await bucket.keys();
    // What remains: the row that is written before the bytes, and the bytes.
    await ada.put('/a.txt', 'x');
    const [{ id } = { id: '' }] = await app.database.query<{ id: string }>(
      `select blob_id as id from file_node where name = 'a.txt' and user_id = $1`,
      [ada.user.credentials.userId],
    );
    await app.database.query('delete from file_node where blob_id = $1', [id]);
    await app.database.query('delete from file_blob_unreferenced where blob_id = $1', [id]);
    await app.database.query(
      `with place as (delete from file_blob_place where blob_id = $1 returning store_id)
       insert into file_blob_leftover (blob_id, store_id, due_at)
       select $1, store_id, now() + interval '1 day' from place`,
      [id],
    );

    await sweep();
    expect((await bucket.keys()).length).toBe(before.length + 1);
    await app.database.query(`update file_blob_leftover set due_at = now()`);
    await sweep();
    expect(await bucket.keys()).toEqual(before);
  });

  it('keep a file although its leftover is due: it has become content since', async () => {
    await ada.put('/kept.txt', 'kept');
    await app.database.query(
      `insert into file_blob_leftover (blob_id, store_id, due_at)
       select p.blob_id, p.store_id, now() from file_blob_place p
         join file_node n using (blob_id) where n.name = 'kept.txt'`,
    );

    await sweep();

    expect(await leftovers()).toBe(0);
    expect((await ada.get('/kept.txt')).text).toBe('kept');
  });

  it('parts of uploads that nobody ends are aborted after a day', async () => {
    await bucket.beginUploads([`files/${randomUUID()}`, 'other/key', 'files/x']);
    expect((await bucket.unfinished()).length).toBe(3);

    const later = new Date(Date.now() + 1000);
    await app.inside(ContentStores).current.removeStale(later);

    expect((await bucket.unfinished()).toSorted()).toEqual(['files/x', 'other/key']);
  });

  it('are refused when more are uploaded at a time than the process may hold in memory', async () => {
    const narrow = await startApp({
      ...(await store.newBucket()).settings,
      GATEFOLD_LIMITS: 'store-uploads-per-process=1',
    });
    try {
      const bob = new DavClient(await narrow.signIn());
      const options = { method: 'PUT', headers: { authorization: basic(bob.user.credentials) } };
      const request = http.request(`${narrow.url}${bob.root}/first.txt`, options);
      const first = statusOf(request);
      request.write('f');
      await until(
        'the first upload to begin',
        async () => (await narrow.database.query('select from file_blob_leftover')).length === 1,
      );
      const second = await bob.put('/second.txt', 's');
      request.end('irst');

      expect([second.status, second.headers['retry-after']]).toEqual([503, '5']);
      expect(await within('the answer to the first upload', first)).toBe(201);
      expect((await bob.put('/second.txt', 's')).status).toBe(201);
    } finally {
      await narrow.stop();
    }
  });

  it('are refused with 507 when the store is full, and the old content stays', async () => {
    await ada.put('/old.txt', 'old');
    await store.limit(4096);
    try {
      const small = await ada.put('/old.txt', 'x'.repeat(10_000));
      const large = await ada.call('PUT', '/new.bin', { body: randomBytes(20 * MIB) });
      expect([small.status, large.status]).toEqual([507, 507]);
      expect(readDavError(small).message).toContain('is full');
      expect((await ada.get('/old.txt')).text).toBe('old');
      expect((await ready()).status).toBe(200);
    } finally {
      await store.limit(null);
    }
    expect((await ada.put('/old.txt', 'x'.repeat(10_000))).status).toBe(204);
  });

  describe('A bucket', () => {
    it('of another installation is refused, and nothing is written to it', async () => {
      const before = await bucket.keys();
      const other = await startApp(bucket.settings);
      try {
        const bob = new DavClient(await other.signIn());
        expect((await bob.put('/a.txt', 'a')).status).toBe(503);
        expect((await other.asStranger().get('/health/ready')).status).toBe(503);
        expect(await bucket.keys()).toEqual(before);
      } finally {
        await other.stop();
      }
    });

    it('with wrong keys is refused, and the doctor says so without the keys', async () => {
      const secret = 'a secret that is wrong';
      const other = await startApp({ ...bucket.settings, GATEFOLD_S3_SECRET_ACCESS_KEY: secret });
      try {
        const bob = new DavClient(await other.signIn());
        expect((await bob.put('/a.txt', 'a')).status).toBe(503);
        const report = await other.inside(InstallationChecks).run();
        const found = report.find(({ subject }) => subject === 'Files');
        expect(found?.findings).toEqual([
          expect.objectContaining({
            state: 'error',
            text: expect.stringContaining('cannot be used: SignatureDoesNotMatch'),
          }),
        ]);
        expect(JSON.stringify(found)).not.toContain(secret);
      } finally {
        await other.stop();
      }
    });

    it('is examined by the doctor', async () => {
      const report = await app.inside(InstallationChecks).run();
      const found = report.find(({ subject }) => subject === 'Files');
      expect(found?.findings).toEqual([
        expect.objectContaining({ state: 'ok', text: expect.stringContaining('s3://') }),
      ]);
    });

    it('that was emptied is refused: files would seem to be lost', async () => {
      const own = await store.newBucket();
      const first = await startApp(own.settings);
      const { databaseUrl = '', dataDir } = first.inside(Config);
      try {
        await new DavClient(await first.signIn()).put('/a.txt', 'a');
        await own.empty();
        const same = { DATABASE_URL: databaseUrl, GATEFOLD_DATA_DIR: dataDir };
        const second = await startApp({ ...own.settings, ...same });
        try {
          expect((await second.asStranger().get('/health/ready')).status).toBe(503);
          expect(await own.keys()).toEqual([]);
        } finally {
          await second.app.close();
        }
      } finally {
        await first.stop();
      }
    });
  });

  it('are counted in the metrics', async () => {
    await ada.put('/counted.txt', 'x');
    const text = await app.inside(Metrics).registry.metrics();
    const place = bucket.settings['GATEFOLD_FILES_STORE']?.replace(/\?.*$/, '');
    expect(text).toContain(`gatefold_files_store_up{store="${place}"} 1`);
    expect(text).toMatch(
      /gatefold_files_store_seconds_count\{operation="put",outcome="ok"\} [1-9]/,
    );
  });

  // Last: afterwards the gateway waits for the one that died whenever a bucket is made.
  describe('while the store is away', () => {
    afterEach(() => store.revive());

    it('uploads and downloads are 503 with Retry-After, the rest works, and all is well afterwards', async () => {
      await ada.put('/old.txt', 'old');
      await store.kill();

      const answers = [
        await ada.put('/new.txt', 'new'),
        await ada.put('/old.txt', 'new'),
        await ada.get('/old.txt'),
        await ada.get('/old.txt', { range: 'bytes=0-1' }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
      expect(answers.map(({ headers }) => headers['retry-after'])).toEqual([
        '30',
        '30',
        '30',
        '30',
      ]);
      expect(answers[0]?.text).not.toContain(String(bucket.settings['GATEFOLD_S3_ACCESS_KEY_ID']));
      expect(await ada.names('/')).toEqual(['old.txt']);
      expect((await ada.move('/old.txt', '/moved.txt')).status).toBe(201);
      expect((await ready()).text).toContain('store of files');

      await store.revive();
      expect((await ada.get('/moved.txt')).text).toBe('old');
      expect((await ada.put('/new.txt', 'new')).status).toBe(201);
      expect((await ready()).status).toBe(200);
    });

    it('sweeping does not forget what it could not delete', async () => {
      await sweep();
      const before = await bucket.keys();
      await ada.put('/gone.txt', 'x');
      await app.database.query(`delete from file_node where name = 'gone.txt'`);
      await store.kill();
      await expect(sweep()).rejects.toThrow('not available');

      await store.revive();
      await sweep();

      expect(await bucket.keys()).toEqual(before);
    });

    it('an upload during which it dies is not acknowledged, and the old content stays', async () => {
      await ada.put('/tide.bin', 'low');
      const before = await bucket.unfinished();
      const request = putOf('/tide.bin', { 'content-length': String(30 * MIB) });
      const answered = statusOf(request);
      request.write(randomBytes(20 * MIB));
      await until(
        'the upload to begin',
        async () => (await bucket.unfinished()).length > before.length,
      );
      await store.kill();
      request.end(randomBytes(10 * MIB));

      expect(await within('the answer to the upload', answered, 30)).toBe(503);
      await store.revive();
      expect((await ada.get('/tide.bin')).text).toBe('low');
      const again = randomBytes(20 * MIB);
      expect((await ada.call('PUT', '/tide.bin', { body: again })).status).toBe(204);
      expect(sha256(await bytesOf('/tide.bin'))).toBe(sha256(again));
    });

    it('a download during which it dies is cut off, not ended', async () => {
      await ada.call('PUT', '/half.bin', { body: randomBytes(64 * MIB) });

      const received = await beginGet('/half.bin');
      await store.kill();
      received.response.resume();

      await expect(within('the end of the download', received.end, 30)).rejects.toThrow('aborted');
    });

    it('a download during which it restarts goes on', async () => {
      const content = randomBytes(64 * MIB);
      await ada.call('PUT', '/whole.bin', { body: content });

      const { response, end } = await beginGet('/whole.bin');
      await store.kill();
      await store.revive();
      const hash = createHash('sha256');
      response.on('data', (chunk: Buffer) => hash.update(chunk));

      await within('the end of the download', end, 30);
      expect(hash.digest('hex')).toBe(sha256(content));
    });
  });

  async function bytesOf(file: string, range?: string): Promise<Buffer> {
    const answer = await fetch(`${app.url}${ada.root}${file}`, {
      headers: {
        authorization: basic(ada.user.credentials),
        ...(range !== undefined && { range }),
      },
    });
    return Buffer.from(await answer.arrayBuffer());
  }

  function putOf(file: string, headers: Record<string, string>): http.ClientRequest {
    return http.request(`${app.url}${ada.root}${file}`, {
      method: 'PUT',
      headers: { authorization: basic(ada.user.credentials), ...headers },
    });
  }

  /** A download that is read no further than its headers. */
  async function beginGet(
    file: string,
  ): Promise<{ readonly response: http.IncomingMessage; readonly end: Promise<void> }> {
    const headers = { authorization: basic(ada.user.credentials) };
    const response = await responseTo(http.get(`${app.url}${ada.root}${file}`, { headers }));
    const end = new Promise<void>((resolve, reject) => {
      response.once('end', resolve).once('error', reject);
    });
    end.catch(() => {});
    return { response, end };
  }
});

function statusOf(request: http.ClientRequest): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request.once('error', reject).once('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
  });
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
