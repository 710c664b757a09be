import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import {
  NewsEventSource,
  type NewsEvent,
  type NewsEventItem,
} from '../../common/ports/news-events.js';
import { Database, type SqlRunner } from '../../database/database.js';
import { DatabaseUnavailable } from '../../database/database-unavailable.js';
import { announceEvents } from '../reader/delivery/announcements.sql.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import {
  listChangesUnderWay,
  listEventItems,
  lockDispatch,
  removeEvents,
  takeEvents,
} from './news-events.sql.js';
import { withoutCredentials } from '../sources/without-credentials.js';

const LOOK_EVERY_MS = 20;
const LONGEST_WAIT_MS = 10_000;

/** Recorded events, and the items that they are about. */
@Injectable()
export class NewsEventsRepository extends NewsEventSource {
  constructor(
    private readonly database: Database,
    private readonly readers: ReadersRepository,
  ) {
    super();
  }

  /**
   * Removes the oldest events in a transaction in which `store` keeps them elsewhere.
   *
   * @returns how many; at most `limit`
   */
  async take(
    limit: number,
    store: (events: readonly NewsEvent[], tx: SqlRunner) => Promise<void>,
  ): Promise<number> {
    return this.#inTurn(async (tx) => {
      const taken = await takeEvents(tx, limit);
      const events = taken.flatMap(({ userId, feed, ...event }) =>
        userId === null
          ? []
          : [{ ...event, userId, feed: feed && { ...feed, url: withoutCredentials(feed.url) } }],
      );
      await store(events, tx);
      return taken.length;
    });
  }

  /**
   * Jobs have the time at which their transaction began, so it begins once the lock is held: those of two
   * processes keep their order.
   */
  async #inTurn<Result>(work: (tx: SqlRunner) => Promise<Result>): Promise<Result> {
    return this.database.transaction(async (turn) => {
      await lockDispatch(turn);
      return this.database.transaction(work);
    });
  }

  /** After a restore, which makes feeds again that no user added. */
  async forget(): Promise<void> {
    await removeEvents(this.database);
  }

  async itemsOf(
    userId: string,
    itemIds: readonly number[],
    mostBodyCharacters: number,
  ): Promise<NewsEventItem[] | null> {
    const readerId = await this.readers.idOf(userId);
    if (readerId === null) {
      return null;
    }
    const rows = await listEventItems(this.database, readerId, itemIds, mostBodyCharacters);
    return rows.map((row) => ({
      ...row,
      feedUrl: withoutCredentials(row.feedUrl),
      labels: row.labels ?? [],
    }));
  }

  async listenersAreSeen(): Promise<void> {
    const begun = Date.now();
    let open = await listChangesUnderWay(this.database);
    while (open.length > 0) {
      if (Date.now() - begun > LONGEST_WAIT_MS) {
        throw new DatabaseUnavailable('busy');
      }
      await delay(LOOK_EVERY_MS);
      const still = await listChangesUnderWay(this.database);
      open = open.filter((change) => still.includes(change));
    }
    // Changes that recorded events for them without knowing when they began did not announce them.
    await announceEvents(this.database);
  }
}
