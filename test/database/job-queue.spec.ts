import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import { HttpAdapterHost, type AbstractHttpAdapter } from '@nestjs/core';
import { once, EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { Client } from 'pg';
import { ormConfig } from '../../src/database/connections/orm.config.js';
import { Database } from '../../src/database/database.js';
import {
  PermanentJobFailure,
  type JobAttempt,
  type JobKind,
} from '../../src/database/jobs/job-kind.js';
import { JobQueue } from '../../src/database/jobs/job-queue.js';
import { statementsDuring } from '../support/statements.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { found, until, within } from '../support/until.js';

interface Errand {
  readonly what: string;
}

const ERRANDS: JobKind<Errand> = {
  name: 'errand',
  deadlineSeconds: 3600,
  retryDelaySeconds: 600,
  longestRetryDelaySeconds: 3600,
  attemptSeconds: 30,
  parallel: 4,
};
const TOGETHER: JobKind<Errand> = { ...ERRANDS, name: 'short-errand', batch: 4, parallel: 1 };
const IN_ORDER: JobKind<Errand> = { ...ERRANDS, name: 'ordered-errand', ordered: true };

/** A simulated process: pool, queue, and executed jobs. */
interface Process {
  readonly jobs: JobQueue;
  readonly database: Database;
  readonly done: string[];
  /** Resolves when that many jobs have started. */
  begun(count: number): Promise<void>;
  start(listening?: boolean): Promise<void>;
  listen(): void;
  stop(): Promise<void>;
}

let testDatabase: TestDatabase;
let client: Client;
const processes: Process[] = [];

beforeAll(async () => {
  Logger.overrideLogger(false);
  testDatabase = await createTestDatabase();
  client = new Client(testDatabase.url);
  await client.connect();
});

afterEach(async () => {
  await Promise.all(processes.splice(0).map((process) => process.stop()));
  await client.query('delete from job.job');
});

afterAll(async () => {
  await client.end();
  await testDatabase.drop();
});

type Errands = (job: JobAttempt<Errand>) => Promise<void> | void;

async function aProcess(
  run: Errands = () => {},
  serves = true,
  kinds = [ERRANDS, IN_ORDER],
): Promise<Process> {
  const orm = await MikroORM.init(ormConfig(testDatabase.address, [], 8));
  const database = new Database(orm);
  const http = new HttpAdapterHost();
  if (serves) {
    http.httpAdapter = {} as AbstractHttpAdapter;
  }
  const jobs = new JobQueue(database, http);
  const done: string[] = [];
  const events = new EventEmitter();
  for (const kind of kinds) {
    jobs.carryOut(kind, async (job) => {
      done.push(job.payload.what);
      events.emit('begun');
      await run(job);
    });
  }
  let stopped = false;
  const process: Process = {
    jobs,
    database,
    done,
    async begun(count) {
      while (done.length < count) {
        await within(`the start of job ${done.length + 1}`, once(events, 'begun'));
      }
    },
    async start(listening = true) {
      await jobs.onApplicationBootstrap();
      http.listening = listening;
    },
    listen: () => {
      http.listening = true;
    },
    async stop() {
      if (!stopped) {
        stopped = true;
        await jobs.beforeApplicationShutdown();
        await orm.close();
      }
    },
  };
  processes.push(process);
  return process;
}

/** Makes waiting retries due now. */
async function hurry({ database, jobs }: Process, kind: JobKind<Errand>): Promise<void> {
  await until(`a retry of ${kind.name}`, async () => {
    const rows = await database.query(
      `update job.job set start_after = now() where name = $1 and state = 'retry' returning 1`,
      [kind.name],
    );
    return rows.length > 0;
  });
  jobs.wake(kind, 9);
}

const errand = (what: string, key = 'k') => ({ key, payload: { what } });

describe('a job', () => {
  it('runs with its payload', async () => {
    const process = await aProcess();
    await process.start();

    await process.jobs.send(ERRANDS, [errand('post a letter')]);

    await process.begun(1);
    expect(process.done).toEqual(['post a letter']);
  });

  it('is sent by a process without HTTP, and run by one that serves', async () => {
    const commandLine = await aProcess(undefined, false);
    await commandLine.start();
    await commandLine.jobs.send(ERRANDS, [errand('a'), errand('b')]);
    await commandLine.stop();

    const service = await aProcess();
    await service.start();

    await service.begun(2);
    expect(service.done.toSorted()).toEqual(['a', 'b']);
    expect(commandLine.done).toEqual([]);
  });

  it('is not run before the server listens, since it may be called back', async () => {
    const starting = await aProcess();
    await starting.start(false);
    await starting.jobs.send(
      ERRANDS,
      Array.from({ length: 20 }, (_, n) => errand(`errand ${n}`)),
    );
    const service = await aProcess();
    await service.start();

    await service.begun(20);
    expect(starting.done).toEqual([]);

    starting.listen();
    await service.stop();
    await starting.jobs.send(ERRANDS, [errand('now')]);
    await starting.begun(1);
  });

  it('of several that are taken together ends alone: done, failed, or long after the others', async () => {
    const slow = Promise.withResolvers<void>();
    const run: Errands = async ({ payload: { what } }) => {
      await (what === 'slow' && slow.promise);
      if (what === 'bad') {
        throw new Error('does not work');
      }
    };
    const process = await aProcess(run, true, [TOGETHER]);
    await process.jobs.send(
      TOGETHER,
      ['slow', 'good', 'bad', 'good'].map((one) => errand(one)),
    );
    await process.start();
    const states = async () => {
      const { rows } = await client.query<{ what: string; state: string }>(
        "select data->'payload'->>'what' as what, state::text from job.job where name = $1 order by 1",
        [TOGETHER.name],
      );
      return rows.map(({ what, state }) => `${what} ${state}`);
    };

    await until('the end of the good ones', async () =>
      (await states()).includes('good completed'),
    );
    expect(process.done.toSorted()).toEqual(['bad', 'good', 'good', 'slow']);
    expect(await states()).toEqual([
      'bad active',
      'good completed',
      'good completed',
      'slow active',
    ]);

    slow.resolve();
    await until('the end of all', async () => !/active/.test(String(await states())));
    expect(await states()).toEqual([
      'bad retry',
      'good completed',
      'good completed',
      'slow completed',
    ]);
  });

  it('of another process is found by asking for all kinds together', async () => {
    const service = await aProcess();
    await service.start();
    const other = await aProcess(undefined, false);
    await other.start();
    await other.jobs.send(ERRANDS, [errand('sent elsewhere')]);

    const asked = await statementsDuring(service.database, () => service.jobs.poll());

    expect(asked.some((sql) => sql.includes('unnest($1::text[]) as known (kind)'))).toBe(true);
    await service.begun(1);
    expect(service.done).toEqual(['sent elsewhere']);
  });

  it('runs once although two processes poll', async () => {
    const [one, other] = [await aProcess(), await aProcess()];
    await Promise.all([one.start(), other.start()]);

    const sent = Array.from({ length: 40 }, (_, n) => `errand ${n}`);
    await one.jobs.send(
      ERRANDS,
      sent.map((what) => errand(what)),
    );
    other.jobs.wake(ERRANDS, 9);
    await until(
      'the start of every errand',
      () => one.done.length + other.done.length === sent.length,
    );

    expect([...one.done, ...other.done].toSorted()).toEqual(sent.toSorted());
  });

  it('is part of the transaction it was sent in', async () => {
    const process = await aProcess();
    await process.start();

    await expect(
      process.database.transaction(async (tx) => {
        await process.jobs.send(ERRANDS, [errand('undone')], tx);
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    await process.database.transaction((tx) => process.jobs.send(ERRANDS, [errand('kept')], tx));
    process.jobs.wake(ERRANDS);

    await process.begun(1);
    expect(process.done).toEqual(['kept']);
  });

  it('that fails is retried with backoff', async () => {
    const process = await aProcess(({ attempt }) => {
      if (attempt < 3) {
        throw new Error('nobody at home');
      }
    });
    await process.start();
    await process.jobs.send(ERRANDS, [errand('deliver')]);

    await process.begun(1);
    const first = await waitOfRetry(process);
    await hurry(process, ERRANDS);
    await process.begun(2);
    const second = await waitOfRetry(process);
    await hurry(process, ERRANDS);
    await process.begun(3);

    expect(first).toBeGreaterThanOrEqual(ERRANDS.retryDelaySeconds / 2);
    expect(second).toBeGreaterThan(first);
    expect(await process.jobs.deadLetters(ERRANDS)).toEqual([]);
  });

  it('that was running when its process stopped is run by the next', async () => {
    const first = await aProcess(({ signal }) => untilAborted(signal));
    first.jobs.drainSeconds = 0;
    await first.start();
    await first.jobs.send(ERRANDS, [errand('interrupted')]);
    await first.begun(1);
    await first.stop();

    const second = await aProcess();
    await second.start();
    await hurry(second, ERRANDS);

    await second.begun(1);
    expect(second.done).toEqual(['interrupted']);
  });
});

describe('a dead letter', () => {
  it('is a job whose deadline has passed, with the last error', async () => {
    const process = await aProcess(() => {
      throw new Error('no such street');
    });
    await process.start();
    await process.jobs.send(ERRANDS, [errand('deliver', 'north')]);
    await process.begun(1);
    await waitOfRetry(process);
    await process.database.query(`update job.job set created_on = now() - interval '2 hours'`);

    await hurry(process, ERRANDS);

    expect(await theDeadLetter(process)).toMatchObject({
      key: 'north',
      payload: { what: 'deliver' },
      error: 'no such street',
      attempts: 2,
    });
  });

  it('is created at once for a permanent failure', async () => {
    const process = await aProcess(() => {
      throw new PermanentJobFailure('addressee unknown');
    });
    await process.start();

    await process.jobs.send(ERRANDS, [errand('deliver')]);

    expect(await theDeadLetter(process)).toMatchObject({ error: 'addressee unknown', attempts: 1 });
  });

  it('is not listed if newer ones are large', async () => {
    const process = await aProcess(() => {
      throw new PermanentJobFailure('closed today');
    });
    await process.start();
    for (const sign of ['a', 'b', 'c']) {
      await process.jobs.send(ERRANDS, [errand(sign.repeat(2_000_000))]);
    }

    await found('three dead letters', async () =>
      (await process.jobs.listDeadLetters(10, 0)).total === 3 ? true : undefined,
    );

    const listed = await process.jobs.deadLetters(ERRANDS);
    expect(listed.map(({ payload }) => payload.what.charAt(0))).toEqual(['b', 'c']);
  });

  it('can be deleted, once', async () => {
    const process = await aProcess(() => {
      throw new PermanentJobFailure('closed today');
    });
    await process.start();
    await process.jobs.send(ERRANDS, [errand('deliver')]);
    const letter = await theDeadLetter(process);

    expect(await process.jobs.dropDeadLetter(ERRANDS, letter.id)).toBe(true);
    expect(await process.jobs.deadLetters(ERRANDS)).toEqual([]);
    expect(await process.jobs.dropDeadLetter(ERRANDS, letter.id)).toBe(false);
    expect(await process.jobs.dropDeadLetter(ERRANDS, 'no id')).toBe(false);
  });

  it('can be retried, once', async () => {
    let hopeless = true;
    const process = await aProcess(() => {
      if (hopeless) {
        throw new PermanentJobFailure('closed today');
      }
    });
    await process.start();
    await process.jobs.send(ERRANDS, [errand('deliver')]);
    const letter = await theDeadLetter(process);
    hopeless = false;

    expect(await process.jobs.retryDeadLetter(ERRANDS, letter.id)).toBe(true);

    await process.begun(2);
    expect(await process.jobs.deadLetters(ERRANDS)).toEqual([]);
    expect(await process.jobs.retryDeadLetter(ERRANDS, letter.id)).toBe(false);
    expect(process.done).toEqual(['deliver', 'deliver']);
  });
});

describe('the overview', () => {
  it('counts waiting, running, retrying and failed jobs by kind', async () => {
    const held = Promise.withResolvers<void>();
    const process = await aProcess(async ({ payload: { what } }) => {
      if (what === 'hopeless') {
        throw new PermanentJobFailure('addressee unknown');
      }
      if (what === 'failing') {
        throw new Error('closed today');
      }
      if (what === 'slow') {
        await held.promise;
      }
    });
    await process.jobs.send(IN_ORDER, [errand('waits')]);
    const before = await process.jobs.overview();
    await process.start();
    await process.begun(1);
    await process.jobs.send(ERRANDS, [errand('hopeless'), errand('failing', 'k2')]);
    await theDeadLetter(process);
    await process.jobs.send(ERRANDS, [errand('slow', 'k3')]);
    await process.begun(4);

    const seen = await settledOverview(process);
    held.resolve();

    expect(before).toEqual([
      expect.objectContaining({ kind: ERRANDS.name, queued: 0, oldestSeconds: null }),
      expect.objectContaining({
        kind: IN_ORDER.name,
        queued: 1,
        oldestSeconds: expect.any(Number),
      }),
    ]);
    expect(seen).toEqual([
      {
        kind: ERRANDS.name,
        queued: 0,
        retrying: 1,
        active: 1,
        failed: 1,
        oldestSeconds: expect.any(Number),
      },
      { kind: IN_ORDER.name, queued: 0, retrying: 0, active: 0, failed: 0, oldestSeconds: null },
    ]);
  });

  /** Resolves when the start has been recorded. */
  function settledOverview({ jobs }: Process) {
    return found('one job under way', async () => {
      const states = await jobs.overview();
      const underWay = states.reduce((sum, { queued, active }) => sum + queued + active, 0);
      return underWay === 1 ? states : null;
    });
  }
});

describe('ordered jobs', () => {
  it('of one key run one after another in the order of sending', async () => {
    let running = 0;
    let most = 0;
    const process = await aProcess(async () => {
      most = Math.max(most, ++running);
      await turn();
      running--;
    });
    await process.start();
    const sent = Array.from({ length: 30 }, (_, n) => `${n}`);

    await process.jobs.send(
      IN_ORDER,
      sent.slice(0, 20).map((what) => errand(what)),
    );
    for (const what of sent.slice(20)) {
      await process.jobs.send(IN_ORDER, [errand(what)]);
    }
    await process.begun(sent.length);

    expect(process.done).toEqual(sent);
    expect(most).toBe(1);
  });

  it('wait for a failing job of the same key only', async () => {
    const process = await aProcess(({ payload, attempt }) => {
      if (payload.what === 'first' && attempt === 1) {
        throw new Error('not yet');
      }
    });
    await process.start();

    await process.jobs.send(IN_ORDER, [errand('first', 'a'), errand('second', 'a')]);
    await process.begun(1);
    await process.jobs.send(IN_ORDER, [errand('other', 'b')]);
    await process.begun(2);
    await hurry(process, IN_ORDER);
    await process.begun(4);

    expect(process.done).toEqual(['first', 'other', 'first', 'second']);
  });

  it('are not blocked by a dead letter', async () => {
    const process = await aProcess(({ payload }) => {
      if (payload.what === 'broken') {
        throw new PermanentJobFailure('cannot be read');
      }
    });
    await process.start();

    await process.jobs.send(IN_ORDER, [errand('broken'), errand('fine')]);
    await process.begun(2);

    expect(process.done).toEqual(['broken', 'fine']);
  });

  it('can be dropped by key prefix', async () => {
    const sender = await aProcess(undefined, false);
    await sender.jobs.send(IN_ORDER, [errand('x', 'app/one'), errand('y', 'app/two')]);
    await sender.jobs.send(IN_ORDER, [errand('z', 'apple/one')]);

    expect(await sender.jobs.drop(IN_ORDER, 'app/')).toBe(2);

    const process = await aProcess();
    await process.start();
    await process.begun(1);
    expect(process.done).toEqual(['z']);
  });

  it('are dropped by a thousand at most in one statement', async () => {
    const sender = await aProcess(undefined, false);
    const sent = Array.from({ length: 2500 }, (_, n) => errand(`errand ${n}`, 'app/one'));
    await sender.jobs.send(IN_ORDER, [...sent, errand('other', 'apple/one')]);
    let dropped = 0;

    const statements = await statementsDuring(sender.database, async () => {
      dropped = await sender.jobs.drop(IN_ORDER, 'app/');
    });

    expect(dropped).toBe(2500);
    const deletions = statements.filter((sql) => /delete from job\./i.test(sql));
    expect(deletions.length).toBeGreaterThanOrEqual(3);
    expect(await sender.jobs.overview()).toMatchObject([{ queued: 0 }, { queued: 1 }]);
  });

  it('are trimmed to the newest of each first part of a key; running ones stay', async () => {
    const held = Promise.withResolvers<void>();
    const process = await aProcess(() => held.promise);
    await process.start();
    const ofApp = ['a0', 'a1', 'a2', 'a3', 'a4'].map((what) => errand(what, 'app/one'));
    const ofApple = ['b0', 'b1', 'b2'].map((what) => errand(what, 'apple/one'));
    await process.jobs.send(IN_ORDER, [...ofApp, ...ofApple]);
    await process.begun(2);

    const dropped = await process.jobs.trim([IN_ORDER], 2);

    held.resolve();
    await process.begun(6);
    expect(dropped).toEqual(new Map([['app', 2]]));
    expect(process.done.toSorted()).toEqual(['a0', 'a3', 'a4', 'b0', 'b1', 'b2']);
  });
});

describe('what jobs have in common', () => {
  const BURIED: JobKind<Errand> = { ...ERRANDS, name: 'buried-errand' };

  async function twoOfEach(): Promise<Process> {
    const process = await aProcess(() => {
      throw new PermanentJobFailure('no');
    });
    await process.start();
    for (const key of ['app/one', 'apple/one']) {
      await process.jobs.send(ERRANDS, [{ key, group: key.split('/')[0] ?? '', payload: at(key) }]);
    }
    await until(
      'two dead letters',
      async () => (await process.jobs.deadLetters(ERRANDS)).length === 2,
    );
    await process.stop();
    const sender = await aProcess(undefined, false);
    for (const key of ['app/one', 'apple/one']) {
      await sender.jobs.send(ERRANDS, [{ key, group: key.split('/')[0] ?? '', payload: at(key) }]);
      await sender.jobs.send(BURIED, [{ key, payload: at(key) }]);
    }
    return sender;
  }

  const at = (what: string): Errand => ({ what });

  it.each([{ keyPrefix: 'app/' }, { group: 'app' }])(
    'is enough to forget them with their dead letters: %j',
    async (which) => {
      const sender = await twoOfEach();

      expect(await sender.jobs.forget(ERRANDS, which)).toBe(2);

      const left = await sender.database.query(
        `select name, singleton_key as key from job.job
          where state < 'active' and name like '%errand%' order by name, key`,
      );
      expect(left).toEqual([
        { name: 'buried-errand', key: 'app/one' },
        { name: 'buried-errand', key: 'apple/one' },
        { name: 'errand', key: 'apple/one' },
        { name: 'errand.dead-letters', key: 'apple/one' },
      ]);
    },
  );
});

async function waitOfRetry({ database }: Process): Promise<number> {
  const { seconds } = await found('a retry', async () => {
    const rows = await database.query<{ seconds: number }>(
      `select extract(epoch from start_after - now())::float8 as seconds
         from job.job where state = 'retry'`,
    );
    return rows[0];
  });
  return seconds;
}

function theDeadLetter({ jobs }: Process) {
  return found('a dead letter', async () => (await jobs.deadLetters(ERRANDS))[0]);
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  await once(signal, 'abort');
}
