import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { Metrics } from '../../src/common/metrics/metrics.js';
import { AccountDeletionHooks, RestoreHooks } from '../../src/common/ports/hooks.js';
import type { SqlRunner } from '../../src/database/database.js';
import { JobQueue } from '../../src/database/jobs/job-queue.js';
import { DeliveriesRepository } from '../../src/news/reader/delivery/deliveries.repository.js';
import { DeliveryService } from '../../src/news/reader/delivery/delivery.service.js';
import { FollowerRowsRepository } from '../../src/news/reader/delivery/follower-rows.repository.js';
import { ReaderClientsRepository } from '../../src/news/reader/delivery/reader-clients.repository.js';
import {
  ReaderIdsRepository,
  type Reader,
} from '../../src/news/reader/delivery/reader-ids.repository.js';
import { ReaderLocksRepository } from '../../src/news/reader/delivery/reader-locks.repository.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { followSources, publishArticles } from '../support/followed-sources.js';
import { isLong, itLong } from '../support/long.js';
import { readerOf } from '../support/reader-of.js';
import { setFlags } from '../support/set-flags.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { found } from '../support/until.js';

/*
 * Several writers change one user's items concurrently, each with a short pause before its commit; articles
 * are delivered as they arrive as well.
 * A watcher polls as a client does, and records changes that a client would never get:
 * - an item that appears below an id that the client already knows;
 * - a change stamped before a read that did not return it;
 * - an item that arrived before a read that did not return it, which clients of the Google Reader API ask
 *   for by arrival (`ot`).
 *
 * With both locks neither may happen. To prove that the watcher detects them, each lock is removed
 * in turn.
 */

const WRITERS = 6;
const ROUNDS = isLong ? 25 : 12;
/** For a few watches, each of which takes seconds. */
const WATCHING_SECONDS = 45;

class WithoutRowLock extends ReaderLocksRepository {
  protected override async lockRow(readerId: number, tx: SqlRunner) {
    const [row] = await tx.query<{ id: number; nextItemId: number; lastModifiedMicros: number }>(
      `select id, next_item_id as "nextItemId", last_modified_micros as "lastModifiedMicros"
         from reader where id = $1`,
      [readerId],
    );
    return row;
  }
}

/** Ids as from a sequence and stamps as from the clock, without a lock on the row of the user. */
class WithoutAnyLock extends WithoutRowLock {
  protected override async lockOutReads(): Promise<void> {}
}

class WithoutReadBarrier extends ReaderLocksRepository {
  protected override async lockOutReads(): Promise<void> {}
}

interface Violations {
  readonly lowerIdAppeared: number;
  readonly olderStampAppeared: number;
  readonly olderArrivalAppeared: number;
  readonly writersRefused: number;
}

describe("concurrent changes of one user's items", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.stop());

  it('appear in the order of their ids and stamps', async () => {
    expect(await watch(new ReaderLocksRepository(app.inside(ReaderIdsRepository)))).toEqual({
      lowerIdAppeared: 0,
      olderStampAppeared: 0,
      olderArrivalAppeared: 0,
      writersRefused: 0,
    });
  });

  itLong('would not without the lock on the user', async () => {
    const { lowerIdAppeared, olderStampAppeared, writersRefused } = await watchUntil(
      (seen) => seen.lowerIdAppeared + seen.olderStampAppeared + seen.writersRefused > 0,
      new WithoutAnyLock(app.inside(ReaderIdsRepository)),
    );

    expect(lowerIdAppeared + olderStampAppeared + writersRefused).toBeGreaterThan(0);
  });

  itLong('would be missed by reads that do not wait for writers', async () => {
    const { olderStampAppeared, olderArrivalAppeared } = await watchUntil(
      (seen) => seen.olderStampAppeared > 0 && seen.olderArrivalAppeared > 0,
      new WithoutReadBarrier(app.inside(ReaderIdsRepository)),
    );

    expect(olderStampAppeared).toBeGreaterThan(0);
    expect(olderArrivalAppeared).toBeGreaterThan(0);
  });

  /** On a busy machine a watcher may miss the moments, so it watches again. */
  function watchUntil(
    isSeen: (seen: Violations) => boolean,
    locks: ReaderLocksRepository,
  ): Promise<Violations> {
    const watchOnce = async () => {
      const seen = await watch(locks);
      return isSeen(seen) ? seen : null;
    };
    return found('a change that a client would miss', watchOnce, WATCHING_SECONDS);
  }

  async function watch(locks: ReaderLocksRepository): Promise<Violations> {
    const userId = `user-${Math.random()}`;
    const readers = new ReadersRepository(
      app.database,
      locks,
      app.inside(ReaderIdsRepository),
      app.inside(FollowerRowsRepository),
      new AccountDeletionHooks(),
      new RestoreHooks(),
    );
    const feeds = await followSources(app, userId, WRITERS);
    const reader = await readerOf(app, userId);
    const writing = Promise.all(feeds.map(({ sourceId }) => write(readers, reader, sourceId)));
    const state = { finished: false };
    void writing.then(() => (state.finished = true));
    const arriving = deliverEarly(readers, reader, state);

    const seen = new Map<number, number>();
    let highestId = 0;
    let lowerIdAppeared = 0;
    let olderStampAppeared = 0;
    let olderArrivalAppeared = 0;
    let lastReadMicros = 0;
    while (!state.finished) {
      const readMicros = await app.nowMicros();
      await readers.waitForWriters(reader.id);
      const rows = await app.database.query<{ id: number; stamp: number; arrived: number }>(
        `select id, last_modified_micros as stamp, arrived_micros as arrived
           from item where reader_id = $1`,
        [reader.id],
      );
      for (const { id, stamp, arrived } of rows) {
        const known = seen.get(id);
        lowerIdAppeared += known === undefined && id < highestId ? 1 : 0;
        olderStampAppeared += known !== stamp && stamp < lastReadMicros ? 1 : 0;
        olderArrivalAppeared += known === undefined && arrived < lastReadMicros ? 1 : 0;
        seen.set(id, stamp);
      }
      highestId = Math.max(highestId, ...seen.keys());
      lastReadMicros = readMicros;
    }
    return {
      lowerIdAppeared,
      olderStampAppeared,
      olderArrivalAppeared,
      writersRefused: (await Promise.all([...(await writing), arriving])).reduce((a, b) => a + b),
    };
  }

  /** Delivers as articles arrive, until the writers have ended. @returns how often it was refused */
  async function deliverEarly(
    readers: ReadersRepository,
    user: Reader,
    state: { readonly finished: boolean },
  ): Promise<number> {
    const delivery = new DeliveryService(
      readers,
      app.inside(DeliveriesRepository),
      app.inside(ReaderClientsRepository),
      app.inside(JobQueue),
      new Metrics(),
    );
    let refused = 0;
    while (!state.finished) {
      await delivery.deliverEarly(user).catch(() => (refused += 1));
      await pause(Math.random() * 6);
    }
    return refused;
  }

  /** Repeatedly publishes, delivers and flips a flag. @returns how often it was refused */
  async function write(
    readers: ReadersRepository,
    user: Reader,
    sourceId: number,
  ): Promise<number> {
    const deliveries = app.inside(DeliveriesRepository);
    let refused = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      await publishArticles(app, sourceId, [{ guid: `${round}` }]);
      try {
        await readers.change(user, async (tx, reader) => {
          await deliveries.deliver(reader, tx);
          await pause(Math.random() * 6);
        });
        await readers.change(user, async (tx, reader) => {
          const [item] = await tx.query<{ id: number; unread: boolean }>(
            'select id, unread from item where reader_id = $1 order by random() limit 1',
            [reader.id],
          );
          await setFlags(tx, reader, [item?.id ?? 0], 'unread', item?.unread !== true);
          await pause(Math.random() * 6);
        });
      } catch {
        refused += 1;
      }
    }
    return refused;
  }
});
