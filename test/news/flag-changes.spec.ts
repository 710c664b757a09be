import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DatabaseUnavailable } from '../../src/database/database-unavailable.js';
import { Database } from '../../src/database/database.js';
import { DeliveriesRepository } from '../../src/news/reader/delivery/deliveries.repository.js';
import {
  ReaderIdsRepository,
  type Reader,
} from '../../src/news/reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import type { FlagChange } from '../../src/news/reader/items/flag-changes.repository.js';
import { ItemsRepository } from '../../src/news/reader/items/items.repository.js';
import { Random } from '../support/histories/random.js';
import { histories, itLong } from '../support/long.js';
import { readerOf } from '../support/reader-of.js';
import { sharedService } from '../support/shared-service.js';
import { found, until, within } from '../support/until.js';

const ITEMS = 40;
const UNKNOWN = 1000;

const { app } = await sharedService();
let database: Database;
let items: ItemsRepository;
let userId: string;
let user: Reader;
beforeAll(async () => {
  database = app.inside(Database);
});
beforeEach(async () => {
  userId = `reader-${Math.random()}`;
  items = new ItemsRepository(database, app.inside(ReaderIdsRepository));
  const [source] = await database.query<{ id: number }>(
    `insert into source (url, url_key) values ($1, decode(md5($1), 'hex')) returning id`,
    [userId],
  );
  user = await readerOf(app, userId);
  await app.inside(ReadersRepository).change(user, async (tx, reader) => {
    const [feed] = await tx.query<{ id: number }>(
      `insert into subscription (reader_id, source_id, url, delivered_rev, unread_count)
       values ($1, $2, $3, 0, $4) returning id`,
      [reader.id, source?.id, userId, ITEMS],
    );
    await tx.query(
      `insert into item (reader_id, id, subscription_id, article_id, last_modified_micros, unread)
       select $1::bigint, n, $2::bigint, n, 1, true from generate_series(1, $3::int) n`,
      [reader.id, feed?.id, ITEMS],
    );
    await tx.query(
      `update reader set next_item_id = $2::int + 1, last_modified_micros = 1, counted_micros = 1
        where id = $1`,
      [reader.id, ITEMS],
    );
  });
});
afterEach(() => void jest.restoreAllMocks());

interface Flags {
  readonly id: number;
  readonly unread: boolean;
  readonly starred: boolean;
}

const allFlags = () =>
  database.query<Flags>(
    `select item.id, unread, starred from item join reader on reader.id = reader_id
      where user_id = $1 order by item.id`,
    [userId],
  );

const read = (...itemIds: readonly number[]): FlagChange => ({
  itemIds,
  flag: 'unread',
  value: false,
});

/** At once, so that changes arrive in the order of the calls. */
const change = (wanted: FlagChange) => items.changeFlags(user, wanted);

/** Holds the user's lock until `release`, as a slow process would. */
async function holdLock() {
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holding = database.transaction(async (tx) => {
    const { id: readerId } = await readerOf(app, userId);
    await tx.query('select from reader where id = $1 for update', [readerId]);
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

describe('changes of flags of one user', () => {
  it.each(Array.from({ length: histories(3, 10) }, (_, seed) => seed))(
    'take effect in the order in which they were asked for: history %i',
    async (seed) => {
      const random = new Random(seed);
      const model = new Map((await allFlags()).map((flags) => [flags.id, { ...flags }]));
      for (let round = 0; round < 10; round += 1) {
        const wanted = Array.from({ length: 1 + random.below(30) }, () => someChange(random));

        const results = await Promise.all(wanted.map(change));

        wanted.forEach((one) => applyTo(model, one));
        expect(await allFlags()).toEqual([...model.values()]);
        wanted.forEach((one, n) => {
          const known = 'itemIds' in one ? one.itemIds.filter((id) => id <= ITEMS) : [];
          expect(results[n]?.found).toEqual(expect.arrayContaining(known));
          expect(results[n]?.found).not.toContain(UNKNOWN);
        });
      }
    },
  );

  it('share a transaction if they would wait for each other', async () => {
    const transactions = jest.spyOn(database, 'transactionOf');

    await Promise.all(Array.from({ length: 50 }, (_, n) => change(read(n + 1))));

    expect(transactions).toHaveBeenCalledTimes(2);
    expect((await allFlags()).filter(({ unread }) => unread)).toEqual([]);
  });

  it('fail alone', async () => {
    const impossible = { readUpTo: 2 ** 80, scope: { of: 'all' } } as const;

    const results = await Promise.allSettled(
      [read(1), read(2), impossible, read(3), read(UNKNOWN)].map(change),
    );

    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await allFlags()).toMatchObject([
      { unread: false },
      { unread: false },
      { unread: false },
      ...Array.from({ length: ITEMS - 3 }, () => ({ unread: true })),
    ]);
  });

  it('are refused beyond a number of waiting ones, and the others are made', async () => {
    const lock = await holdLock();
    const waiting = Array.from({ length: 1000 }, (_, n) => change(read((n % ITEMS) + 1)));

    await expect(change(read(1))).rejects.toThrow(DatabaseUnavailable);
    await lock.release();

    expect(await Promise.all(waiting)).toHaveLength(1000);
  });

  it('all fail when the connection is lost before the commit, and later ones work', async () => {
    const lock = await holdLock();
    const waiting = [1, 2, 3].map((id) => change(read(id)));
    const settled = Promise.allSettled(waiting);
    await until('the transaction to reach the lock', async () => (await endWaiting()) > 0);

    expect((await settled).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
      'rejected',
    ]);
    await lock.release();
    expect((await allFlags()).every(({ unread }) => unread)).toBe(true);
    await change(read(1));
    expect((await allFlags())[0]).toMatchObject({ unread: false });
  });

  /** @returns how many connections were waiting for the lock, and were ended */
  async function endWaiting(): Promise<number> {
    const ended = await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and state = 'active'
          and query like 'select 1 from reader % for update'`,
    );
    return ended.length;
  }
});

/*
 * As in sync-hazard.spec.ts: a watcher polls as a client does, while two processes change flags and
 * deliver. Each transaction pauses between its stamps and its commit.
 */
describe('flags that are committed together', () => {
  it('are not missed by a client that polls', async () => {
    expect(await watch(true)).toBe(0);
  });

  itLong('would be missed by reads that do not wait for writers', async () => {
    // On a busy machine a watcher may miss the moments, so it watches again. Each watch takes seconds.
    const watched = found(
      'a change that a client would miss',
      async () => (await watch(false)) || null,
      45,
    );

    expect(await watched).toBeGreaterThan(0);
  });

  /** @returns changes stamped before a poll that neither showed them nor saw that there was one */
  async function watch(waits: boolean): Promise<number> {
    const readers = app.inside(ReadersRepository);
    const send = database.transactionOf.bind(database);
    const slower = jest
      .spyOn(database, 'transactionOf')
      .mockImplementation((statements) =>
        send([...statements, { sql: 'select pg_sleep(0.003)', params: [] }]),
      );
    const state = { finished: false };
    const writing = Promise.all([write(1), write(2), write(3)]).then(() => (state.finished = true));
    let missed = 0;
    let lastReadMicros = 0;
    let lastKnownMicros = 0;
    const seen = new Map<number, number>();
    while (!state.finished) {
      const readMicros = await app.nowMicros();
      const reader = await readers.stateOf(await readerOf(app, userId), waits);
      const rows = await database.query<{ id: number; stamp: number }>(
        'select id, last_modified_micros as stamp from item where reader_id = $1',
        [reader?.id],
      );
      for (const { id, stamp } of rows) {
        missed += seen.get(id) !== stamp && stamp < lastReadMicros ? 1 : 0;
        missed += stamp > lastKnownMicros && stamp < lastReadMicros ? 1 : 0;
        seen.set(id, stamp);
      }
      lastReadMicros = readMicros;
      lastKnownMicros = reader?.lastModifiedMicros ?? 0;
    }
    await writing;
    slower.mockRestore();
    return missed;
  }

  /** A process of its own: changes wait for those of other processes in the database. */
  async function write(seed: number): Promise<void> {
    const random = new Random(seed);
    const ofProcess = new ItemsRepository(database, app.inside(ReaderIdsRepository));
    const deliveries = app.inside(DeliveriesRepository);
    const reader = await readerOf(app, userId);
    for (let round = 0; round < 25; round += 1) {
      await Promise.all([
        ...Array.from({ length: 4 }, () => ofProcess.changeFlags(reader, someChange(random))),
        app
          .inside(ReadersRepository)
          .change(reader, (tx, reader) => deliveries.deliver(reader, tx), 'deliveries'),
      ]);
    }
  }
});

function someChange(random: Random): FlagChange {
  if (random.chance(0.15)) {
    return { readUpTo: random.below(ITEMS), scope: { of: 'all' } };
  }
  const itemIds = Array.from({ length: 1 + random.below(3) }, () =>
    random.chance(0.1) ? UNKNOWN : 1 + random.below(ITEMS),
  );
  const flag = random.chance(0.6) ? 'unread' : 'starred';
  return { itemIds, flag, value: random.chance(0.5) };
}

function applyTo(
  model: Map<number, { id: number; unread: boolean; starred: boolean }>,
  wanted: FlagChange,
): void {
  for (const item of model.values()) {
    if ('readUpTo' in wanted) {
      item.unread &&= item.id > wanted.readUpTo;
    } else if (wanted.itemIds.includes(item.id)) {
      item[wanted.flag] = wanted.value;
    }
  }
}
