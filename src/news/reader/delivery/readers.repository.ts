import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../../database/database.js';
import type { ChangeOf } from './announcements.js';
import { announceChange, announceEvents } from './announcements.sql.js';
import { FollowerRows } from './follower-rows.repository.js';
import { ReaderIds } from './reader-ids.repository.js';
import { ReaderLocks, type LockedReader } from './reader-locks.repository.js';
import {
  createReader,
  findReaderPosition,
  moveCountersAhead,
  removeReader,
  removeSomeItems,
  removeSomeSubscriptions,
  stateOf,
  waitingForWriters,
  watchReader,
  type ReaderPosition,
  type ReaderState,
} from './readers.sql.js';

export type { ReaderPosition, ReaderState } from './readers.sql.js';

/** Most rows that one transaction removes. */
const REMOVAL_BATCH = 5000;

/** The users of the feed reader, and the only way to change what is theirs. */
@Injectable()
export class ReadersRepository {
  constructor(
    private readonly database: Database,
    private readonly locks: ReaderLocks,
    private readonly ids: ReaderIds,
    private readonly followers: FollowerRows,
  ) {}

  /** @returns the reader's id, or null for a user who never used the feed reader */
  async idOf(userId: string): Promise<number | null> {
    return this.ids.of(userId);
  }

  /** @returns null for a user who never used the feed reader */
  async positionOf(userId: string): Promise<ReaderPosition | null> {
    const readerId = await this.ids.of(userId);
    return readerId === null ? null : findReaderPosition(this.database, readerId);
  }

  /**
   * What a synchronisation starts with, in one round trip and without a lock.
   *
   * @param afterWriters first waits for writers, as `waitForWriters`
   * @returns null for a user who never used the feed reader
   */
  async stateOf(userId: string, afterWriters: boolean): Promise<ReaderState | null> {
    const readerId = await this.ids.of(userId);
    if (readerId === null) {
      return null;
    }
    const statements = [...(afterWriters ? [waitingForWriters(readerId)] : []), stateOf(readerId)];
    const results = await this.database.queryTogether(statements);
    const [state] = results.at(-1) as ReaderState[];
    if (state === undefined) {
      // The account may have been made again, and the notice of the removal have come since.
      this.ids.forget(userId);
      const present = await this.ids.of(userId);
      return present === readerId ? null : this.stateOf(userId, afterWriters);
    }
    return state;
  }

  /**
   * Runs `work` in a transaction that holds this user's lock, and announces the change to the clients
   * that listen. Creates the reader if necessary.
   *
   * @param what kind of change, which decides whether and when it is announced
   */
  async change<Result>(
    userId: string,
    work: (tx: Transaction, reader: LockedReader) => Promise<Result>,
    what: ChangeOf = 'anything',
  ): Promise<Result> {
    return this.database.transaction(async (tx) => {
      const reader = await this.locks.lock(tx, userId);
      const result = await work(tx, reader);
      if (what !== 'deliveries') {
        await this.followers.follow(tx, reader.id);
      }
      await announceChange(tx, reader, what);
      if (reader.areEventsWanted) {
        await announceEvents(tx);
      }
      return result;
    });
  }

  /**
   * Has this user's changes announced for some seconds: all that are committed after this resolves.
   *
   * @returns the reader's id
   */
  async watch(userId: string, seconds: number): Promise<number> {
    const known = await this.ids.of(userId);
    if (known !== null && (await watchReader(this.database, known, seconds))) {
      return known;
    }
    this.ids.forget(userId);
    const readerId = await this.database.transaction((tx) => createReader(tx, userId));
    await watchReader(this.database, readerId, seconds);
    return readerId;
  }

  /** Before a read whose time a client may remember. @see ReaderLocks.waitForWriters */
  async waitForWriters(readerId: number): Promise<void> {
    await this.locks.waitForWriters(this.database, readerId);
  }

  /** After a restore: skips item ids and stamps that clients may have seen since the backup. */
  async moveAhead(): Promise<void> {
    await moveCountersAhead(this.database);
  }

  /** Removes a user with all folders, subscriptions and items, in transactions of bounded size. */
  async remove(userId: string): Promise<void> {
    const readerId = await this.idOf(userId);
    if (readerId === null) {
      return;
    }
    for (const removeSome of [removeSomeItems, removeSomeSubscriptions]) {
      for (let removed = REMOVAL_BATCH; removed === REMOVAL_BATCH;) {
        removed = await removeSome(this.database, readerId, REMOVAL_BATCH);
      }
    }
    await this.database.transaction(async (tx) => {
      await removeReader(tx, readerId);
      await this.followers.follow(tx, readerId);
    });
    this.ids.forget(userId);
  }
}
