import { Injectable } from '@nestjs/common';
import { READER_LOCK_SPACE } from '../../../common/advisory-locks.js';
import { AccountDeletionHooks, RestoreHooks } from '../../../common/ports/hooks.js';
import { Database, type Transaction } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { ReaderEntity } from '../../tables/reader.entity.js';
import type { ChangeOf } from './announcements.js';
import { announceChange, announceEvents } from './announcements.sql.js';
import { FollowerRowsRepository } from './follower-rows.repository.js';
import type { GivenByGroups } from './given-by-groups.js';
import { APPS_LISTEN } from './item-events.sql.js';
import { moveStamp } from './kept-counts.sql.js';
import { NO_READER, ReaderIdsRepository, type Reader } from './reader-ids.repository.js';
import {
  ReaderLocksRepository,
  createReader,
  NOW_MICROS,
  type LockedReader,
} from './reader-locks.repository.js';

const ROW = selectList(ReaderEntity, 'reader', ['id', 'lastModifiedMicros']);

/** The reader is `$1`. */
const POSITION = `${ROW},
  reader.is_early or coalesce(reader.early_until > now(), false) or ${APPS_LISTEN}
  or exists (select 1 from rule where rule.reader_id = $1 and rule.has_clock) as "isEarly"`;

/** A reader and the stamp of its newest committed change. */
export type ReaderPosition = RowOf<typeof ROW> & {
  /** Whether articles may be delivered to it, or its items be marked by the clock, at any time. */
  readonly isEarly: boolean;
};

/** The state of users who never used the feed reader. */
const NOBODY: ReaderState = {
  id: NO_READER,
  lastModifiedMicros: 0,
  isEarly: false,
  isPending: false,
  isCounted: true,
  areGroupsDue: false,
};

/** A reader at the start of a synchronisation. */
interface ReaderState extends ReaderPosition {
  /** Whether a source that the user follows has a newer revision than was delivered. */
  readonly isPending: boolean;
  /** Whether the counts of the user's subscriptions are right. */
  readonly isCounted: boolean;
  /** The answer of `GivenByGroups.asking`. */
  readonly areGroupsDue: boolean;
}

const STATE = `${POSITION},
  exists (select 1 from subscription s join source on source.id = s.source_id
           where s.reader_id = $1 and source.rev > s.delivered_rev
             and s.deleted_at is null) as "isPending",
  reader.counted_micros = reader.last_modified_micros as "isCounted"`;

const FIND_STATE = prepared('reader-state', `select ${STATE} from reader where id = $1`);

/** Waits for the writers that hold `ReaderLocksRepository.lockOutReads`. */
const WAIT = prepared(
  'wait-for-writers',
  `select pg_advisory_xact_lock_shared(${READER_LOCK_SPACE} + id) from reader where id = $1`,
);

/** Most rows that one transaction removes. */
const REMOVAL_BATCH = 5000;

const REMOVE_ITEMS = `
  delete from item using (
     select id from item where reader_id = $1 order by id limit $2
   ) due where item.reader_id = $1 and item.id = due.id returning 1`;
const REMOVE_SUBSCRIPTIONS = `
  delete from subscription using (
     select id from subscription where reader_id = $1 limit $2
   ) due where subscription.reader_id = $1 and subscription.id = due.id returning 1`;

/** The users of the feed reader, and the only way to change their data. */
@Injectable()
export class ReadersRepository {
  constructor(
    private readonly database: Database,
    private readonly locks: ReaderLocksRepository,
    private readonly ids: ReaderIdsRepository,
    private readonly followers: FollowerRowsRepository,
    deletionHooks: AccountDeletionHooks,
    restoreHooks: RestoreHooks,
  ) {
    deletionHooks.add((userId) => this.remove(userId));
    // A restored database would assign item ids again that clients already know.
    restoreHooks.add(() => this.moveAhead());
  }

  async positionOf({ id }: Reader): Promise<ReaderPosition> {
    const [row] = await this.database.query<ReaderPosition>(
      `select ${POSITION} from reader where id = $1`,
      [id],
    );
    return row ?? NOBODY;
  }

  /**
   * The start of a synchronisation, in one round trip and without a lock. Reads one row per followed
   * source.
   * @param afterWriters first waits for writers, as `waitForWriters`
   * @param groups also asks whether groups are due
   */
  async stateOf(
    reader: Reader,
    afterWriters: boolean,
    groups?: GivenByGroups,
  ): Promise<ReaderState> {
    const asking = groups === undefined ? [] : [groups.asking(reader.userId)];
    const isNobody = reader.id === NO_READER;
    if (isNobody && groups === undefined) {
      return NOBODY;
    }
    const results = await this.database.queryTogether([
      ...asking,
      // A separate statement, so that the other one sees the writers' commits.
      ...(afterWriters && !isNobody ? [{ sql: WAIT, params: [reader.id] }] : []),
      ...(isNobody ? [] : [{ sql: FIND_STATE, params: [reader.id] }]),
    ]);
    const [due] = groups === undefined ? [] : (results[0] as { readonly isDue: boolean }[]);
    const areGroupsDue = due?.isDue === true;
    const [state] = isNobody ? [NOBODY] : (results.at(-1) as ReaderState[]);
    if (state === undefined) {
      // The account may have been made again, and the notice of the removal have come since.
      this.ids.forget(reader.userId);
      const { id } = await this.ids.of(reader.userId);
      if (id === reader.id) {
        return { ...NOBODY, areGroupsDue };
      }
      reader.id = id;
      return this.stateOf(reader, afterWriters, groups);
    }
    return { ...state, areGroupsDue };
  }

  /**
   * Runs `work` in a transaction that holds this user's lock, and announces the change to the clients
   * that listen. Creates the reader if necessary, and sets its id.
   *
   * @param what kind of change, which decides whether and when it is announced
   */
  async change<Result>(
    reader: Reader,
    work: (tx: Transaction, reader: LockedReader) => Promise<Result>,
    what: ChangeOf = 'anything',
  ): Promise<Result> {
    let after: LockedReader['afterCommit'] = [];
    const done = await this.database.transaction(async (tx) => {
      const locked = await this.locks.lock(reader, tx);
      after = locked.afterCommit;
      const result = await work(tx, locked);
      if (what !== 'deliveries') {
        await this.followers.follow(locked.id, tx);
      }
      await announceChange(locked, what, tx);
      if (locked.areEventsWanted) {
        await announceEvents(tx);
      }
      return result;
    });
    after.forEach((act) => act());
    return done;
  }

  /**
   * Has this user's changes announced for some seconds: all that are committed after this resolves. Creates
   * the reader if necessary, and sets its id.
   */
  async watch(reader: Reader, seconds: number): Promise<void> {
    if (reader.id !== NO_READER && (await this.#noteWatched(reader.id, seconds))) {
      return;
    }
    this.ids.forget(reader.userId);
    await this.database.transaction((tx) => createReader(reader, tx));
    await this.#noteWatched(reader.id, seconds);
  }

  /**
   * Noted twice: beside the sources, for theirs and for flags, and with the reader, whose lock it waits
   * for. Each must be committed by itself: a lock of the reader after the second sees the first.
   *
   * @returns whether there is such a reader
   */
  async #noteWatched(readerId: number, seconds: number): Promise<boolean> {
    const set = `set watched_until = greatest(watched_until,
                                          statement_timestamp() + make_interval(secs => $2))`;
    await this.database.query(`update reader_user ${set} where reader_id = $1`, [
      readerId,
      seconds,
    ]);
    const rows = await this.database.query(`update reader ${set} where id = $1 returning id`, [
      readerId,
      seconds,
    ]);
    return rows.length > 0;
  }

  /**
   * Waits until every change that may already have its stamp is visible. A client that remembers the
   * time of this read as its cursor then misses no change stamped before it.
   */
  async waitForWriters(readerId: number): Promise<void> {
    await this.database.query(WAIT, [readerId]);
  }

  /**
   * After a restore: skips item ids and stamps that clients may have seen since the backup. The ids of
   * every reader go up by a million, and the last stamp becomes now.
   */
  async moveAhead(): Promise<void> {
    // Citus refuses functions that are called row by row.
    const [clock] = await this.database.query<{ micros: number }>(`select ${NOW_MICROS} as micros`);
    const stamp = 'greatest(reader.last_modified_micros, $1::bigint)';
    await this.database.query(
      `update reader set next_item_id = next_item_id + 1000000, ${moveStamp(stamp)}`,
      [clock?.micros],
    );
  }

  /** Removes a user with all folders, subscriptions and items, in transactions of bounded size. */
  async remove(userId: string): Promise<void> {
    const { id: readerId } = await this.ids.of(userId);
    if (readerId === NO_READER) {
      return;
    }
    for (const removal of [REMOVE_ITEMS, REMOVE_SUBSCRIPTIONS]) {
      for (let removed = REMOVAL_BATCH; removed === REMOVAL_BATCH;) {
        removed = (await this.database.query(removal, [readerId, REMOVAL_BATCH])).length;
      }
    }
    await this.database.transaction(async (tx) => {
      await tx.query('delete from reader_user where reader_id = $1', [readerId]);
      await tx.query('delete from reader where id = $1', [readerId]);
      await this.followers.follow(readerId, tx);
    });
    this.ids.forget(userId);
  }
}
