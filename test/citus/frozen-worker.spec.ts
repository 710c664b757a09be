import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';
import { PROCESS_SECONDS, until } from '../support/until.js';
import { aClusterOfItsOwn } from './a-cluster-of-its-own.js';

/*
 * A worker of a cluster is stopped by SIGSTOP: it keeps its connections and answers nothing. Its readers
 * go on asking, more of them at once than the pool has connections.
 */

/** Servers are started, and each takes seconds. */
jest.setTimeout(180_000);

const API = '/index.php/apps/news/api/v1-3';
const ASKING = 12;
const BETWEEN_MS = 200;
const REQUESTS = 300;

const cluster = await aClusterOfItsOwn(2);
const { app } = await serviceAndPublisher({ DATABASE_URL: cluster.databaseUrl });
const [frozen, other] = cluster.workers;

async function aReaderOn(port = 0): Promise<TestUser> {
  for (;;) {
    const user = await app.signIn();
    await user.post(`${API}/folders`, { name: 'of a reader' });
    const [reader] = await app.database.query<{ id: number }>(
      'select reader_id as id from reader_user where user_id = $1',
      [user.credentials.userId],
    );
    if (reader !== undefined && (await cluster.workerOf('reader', reader.id)) === port) {
      return user;
    }
  }
}

describe('a cluster with a worker that hangs', () => {
  const logged: string[] = [];
  let lost: TestUser;
  let spared: TestUser;
  beforeAll(async () => {
    lost = await aReaderOn(frozen?.port);
    spared = await aReaderOn(other?.port);
    for (const level of ['error', 'log'] as const) {
      jest
        .spyOn(Logger.prototype, level)
        .mockImplementation((text) => void logged.push(String(text)));
    }
  });
  afterAll(() => void jest.restoreAllMocks());

  it('refuses its readers at once, and answers others within a second', async () => {
    const over = new AbortController();
    const statuses = new Set<number>();
    frozen?.freeze(true);
    const asking = Array.from({ length: ASKING }, async () => {
      while (!over.signal.aborted) {
        statuses.add((await lost.get(`${API}/folders`)).status);
        await pause(BETWEEN_MS);
      }
    });

    const times: number[] = [];
    for (let n = 0; n < REQUESTS; n++) {
      const began = performance.now();
      const { status } = await spared.get(`${API}/feeds`);
      times.push(performance.now() - began);
      expect(status).toBe(200);
    }
    const ready = await app.asStranger().get('/health/ready');
    const list = await spared.get(`${API}/items?type=3&getRead=true`);
    over.abort();
    await Promise.all(asking);

    times.sort((a, b) => a - b);
    const p99 = times[Math.ceil(REQUESTS * 0.99) - 1] ?? 0;
    expect(p99).toBeLessThan(1000);
    expect([...statuses]).toEqual([503]);
    expect([ready.status, list.status]).toEqual([200, 503]);
  });

  it('answers them again when it goes on, and has named it twice in the log', async () => {
    frozen?.freeze(false);

    const answers = async () => (await lost.get(`${API}/folders`)).status === 200;
    await until('the worker', answers, PROCESS_SECONDS);

    const { folders } = (await lost.get(`${API}/folders`)).json as { folders: { name: string }[] };
    expect(folders.map(({ name }) => name)).toEqual(['of a reader']);
    expect(logged.filter((line) => line.startsWith('The database'))).toEqual([]);
    expect(logged.filter((line) => line.startsWith('The worker'))).toEqual([
      `The worker 127.0.0.1:${frozen?.port} does not answer; what it stores is refused.`,
      `The worker 127.0.0.1:${frozen?.port} answers again.`,
    ]);
  });
});
