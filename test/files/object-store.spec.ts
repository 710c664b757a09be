import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import {
  anObjectStore,
  whyNoObjectStore,
  type AnObjectStore,
  type BucketOfTests,
} from '../support/an-object-store.js';
import { DavClient } from '../support/dav-client.js';
import { startApp, type TestApp } from '../support/start-app.js';

const missing = whyNoObjectStore();

(missing === undefined ? describe : describe.skip)('Contents in an object store', () => {
  let store: AnObjectStore;
  let bucket: BucketOfTests;
  let app: TestApp;
  let ada: DavClient;
  beforeAll(async () => {
    store = await anObjectStore();
    bucket = await store.newBucket();
    app = await startApp(bucket.settings);
    ada = new DavClient(await app.signInOnce('ada'));
  }, 120_000);
  afterAll(async () => {
    await app?.stop();
    await store?.stop();
  });

  it('works', async () => {
    expect((await ada.put('/a.txt', 'hello')).status).toBe(201);
    expect((await ada.get('/a.txt')).text).toBe('hello');
    expect((await ada.get('/a.txt', { range: 'bytes=1-2' })).text).toBe('el');
    const big = randomBytes(10_000_000).toString('hex');
    expect((await ada.put('/b.txt', big)).status).toBe(201);
    expect((await ada.get('/b.txt')).text === big).toBe(true);
    expect(await bucket.keys()).toHaveLength(3);
  });
});
