import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { Clock } from '../../src/common/clock.js';
import { Metrics } from '../../src/common/metrics/metrics.js';
import { AccountDeletionHooks, RestoreHooks } from '../../src/common/ports/hooks.js';
import type { SqlRunner } from '../../src/database/database.js';
import { JobQueue } from '../../src/database/jobs/job-queue.js';
import { DeliveriesRepository } from '../../src/news/reader/delivery/deliveries.repository.js';
import { DeliveryService } from '../../src/news/reader/delivery/delivery.service.js';
import { EarlyReadersRepository } from '../../src/news/reader/delivery/early-readers.repository.js';
import { FollowerRowsRepository } from '../../src/news/reader/delivery/follower-rows.repository.js';
import { GivenByGroupsOffer } from '../../src/news/reader/delivery/given-by-groups.js';
import { ReaderClientsRepository } from '../../src/news/reader/delivery/reader-clients.repository.js';
import {
  ReaderIdsRepository,
  type Reader,
} from '../../src/news/reader/delivery/reader-ids.repository.js';
import { ReaderLocksRepository } from '../../src/news/reader/delivery/reader-locks.repository.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { ClockRules } from '../../src/news/reader/rules/clock-rules.service.js';
import { RuleCandidatesRepository } from '../../src/news/reader/rules/rule-candidates.repository.js';
import { RuleMoments } from '../../src/news/reader/rules/rule-moments.service.js';
import { RuleTrials } from '../../src/news/reader/rules/rule-trials.service.js';
import { RulesRepository } from '../../src/news/reader/rules/rules.repository.js';
import { followSources, publishArticles } from '../support/followed-sources.js';
import { letTimePass } from '../support/let-time-pass.js';
import { isLong, itLong } from '../support/long.js';
import { NewsClient, ok, type ItemJson } from '../support/news-client.js';
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
 *
 * A client that pages through its first synchronisation, and goes on from the highest stamp that it got, would
 * miss changes of pages that it has if the clock or an arrival wrote to later ones meanwhile: they wait.
 */

const WRITERS = 6;
const PAGE = 4;
/** Between the requests of a client that pages. */
const SECONDS = 20;
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

class WithoutWaiting extends ReaderClientsRepository {
  override async isPaging(): Promise<boolean> {
    return false;
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

  const deliveryWith = (readers: ReadersRepository, clients: ReaderClientsRepository) =>
    new DeliveryService(
      readers,
      app.inside(DeliveriesRepository),
      clients,
      app.inside(GivenByGroupsOffer),
      app.inside(JobQueue),
      new Metrics(),
    );

  describe.each(['an arrival', 'the clock'] as const)('%s beside a client that pages', (what) => {
    it('waits, so that the client misses no change of a page that it has', async () => {
      const { missed, late } = await pageBeside(what, app.inside(ReaderClientsRepository));

      expect(missed).toEqual([]);
      expect(late).toBeGreaterThan(0);
    });

    it('would make it miss one if it did not wait', async () => {
      const clients = new WithoutWaiting(app.database, app.inside(Clock));

      expect((await pageBeside(what, clients)).missed).not.toEqual([]);
    });
  });

  /**
   * A client pages upwards; between its pages another one marks items of these, and then the clock or an arrival
   * changes what is on later ones, if it does not wait.
   *
   * @returns items whose flag the client has wrong, and what the work changed after the last page
   */
  async function pageBeside(what: 'an arrival' | 'the clock', clients: ReaderClientsRepository) {
    const user = await app.signIn();
    const news = new NewsClient(user, 'v1-3');
    const [feed] = await followSources(app, user.credentials.userId, 1);
    const publish = (name: string, count: number) => {
      const articles = Array.from({ length: count }, (_, n) => ({ guid: `${name} ${n}` }));
      return publishArticles(app, feed?.sourceId ?? 0, articles);
    };
    await publish('there', 3 * PAGE - 1);
    await news.items();
    const reader = await readerOf(app, user.credentials.userId);
    const work = await intruder(what, news, reader, clients);
    const stored = new Map<number, ItemJson>();
    const lastModified = () => Math.max(...[...stored.values()].map((one) => one.lastModified));
    const store = (items: readonly ItemJson[]) => items.forEach((one) => stored.set(one.id, one));
    const passTime = async () => {
      await letTimePass(app, reader.id, SECONDS);
      const older = [...stored.values()].map((one) => ({
        ...one,
        lastModified: one.lastModified - SECONDS,
      }));
      store(older);
    };
    for (let offset = 0, more = true; more; offset = Math.max(...stored.keys())) {
      await passTime();
      const query = { type: 3, getRead: true, oldestFirst: true, batchSize: PAGE, offset };
      const page = await news.items(query);
      store(page);
      more = page.length === PAGE;
      if (more) {
        await ok(news.post(`/items/${page[0]?.id}/star`));
        await passTime();
        await publish(`after ${page[0]?.id}`, 1);
        await work();
      }
    }

    store(await news.changedItems(lastModified()));
    const now = await news.items({ type: 3, getRead: true });
    const missed = now.filter(({ id, unread, starred }) => {
      const known = stored.get(id);
      return known?.unread !== unread || known.starred !== starred;
    });
    await publish('later', 1);
    await work();
    return { missed, late: (await news.changedItems(lastModified())).length };
  }

  /** The work of a user who has nothing else that could make clients be noted. */
  async function intruder(
    what: 'an arrival' | 'the clock',
    news: NewsClient,
    reader: Reader,
    clients: ReaderClientsRepository,
  ): Promise<() => Promise<unknown>> {
    const readers = app.inside(ReadersRepository);
    if (what === 'an arrival') {
      const early = app.inside(EarlyReadersRepository);
      await readers.change(reader, (tx, locked) => early.set(locked, 'digests', true, tx));
      const delivery = deliveryWith(readers, clients);
      return () => delivery.deliverEarly(reader);
    }
    await ok(news.post('/rules', { query: '', actions: [{ type: 'newest', count: 1 }] }));
    const clock = new ClockRules(
      app.inside(RulesRepository),
      app.inside(RuleCandidatesRepository),
      app.inside(RuleMoments),
      app.inside(RuleTrials),
      clients,
    );
    return () =>
      clock.runFor(reader).catch((error: unknown) => {
        if (!String(error).includes('between pages')) {
          throw error;
        }
      });
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
    const delivery = deliveryWith(readers, app.inside(ReaderClientsRepository));
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
