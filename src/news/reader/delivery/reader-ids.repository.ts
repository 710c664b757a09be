import { Injectable } from '@nestjs/common';
import { keepLatest } from '../../../common/keep-latest.js';
import { DatabaseUnavailable } from '../../../database/database-unavailable.js';
import { Database } from '../../../database/database.js';
import { NoticedChanges } from '../../../database/notices/noticed-changes.js';
import { DatabaseNotices } from '../../../database/notices/notices.js';
import { prepared } from '../../../database/prepared.js';
import { isReaderOn } from '../../../database/silent-servers/workers.repository.js';

/** Announced by a trigger on `reader_user`, with the user id. */
const CHANNEL = 'gatefold_reader_removed';

/** The id of users who never used the feed reader. No row has it, so that they are found to have nothing. */
export const NO_READER = 0;

/** A user of the feed reader, found once, where a request, a command or a job begins. */
export interface Reader {
  readonly userId: string;
  /** By which all rows of the user are found. `NO_READER` until the first change, which sets it. */
  id: number;
}

const FIND = prepared('reader-id', 'select reader_id as id from reader_user where user_id = $1');

const MOST_USERS = 100_000;

/**
 * The ids of users' readers, by which all of their rows are found. An id never changes while the account
 * lives, so this process remembers it. An account that is removed and made again gets another: its
 * removal is announced to all processes, and while no notices are received, nothing is remembered.
 */
@Injectable()
export class ReaderIdsRepository {
  /** The longest remembered first. */
  readonly #ids = new Map<string, number>();
  readonly #changes: NoticedChanges;

  constructor(
    private readonly database: Database,
    notices: DatabaseNotices,
  ) {
    this.#changes = new NoticedChanges(notices, CHANNEL, (userId) =>
      userId === null ? this.#ids.clear() : this.#ids.delete(userId),
    );
  }

  /** @throws DatabaseUnavailable while the worker with the rows does not answer */
  async of(userId: string): Promise<Reader> {
    const id = await this.#find(userId);
    const { database } = this;
    const { silentWorkers } = database;
    if (
      id !== NO_READER &&
      silentWorkers.length > 0 &&
      (await isReaderOn(database, silentWorkers, id))
    ) {
      throw new DatabaseUnavailable('partly-away');
    }
    return { userId, id };
  }

  /** The readers with these ids; none for those whose accounts are gone. */
  async withIds(readerIds: readonly number[]): Promise<Reader[]> {
    return this.database.query<Reader>(
      'select reader_id as id, user_id as "userId" from reader_user where reader_id = any($1::bigint[])',
      [readerIds],
    );
  }

  async #find(userId: string): Promise<number> {
    const known = this.#ids.get(userId);
    if (known !== undefined) {
      return known;
    }
    const changesBefore = this.#changes.count;
    const [row] = await this.database.query<{ id: number }>(FIND, [userId]);
    const id = row?.id ?? NO_READER;
    if (id !== NO_READER && this.#changes.areNoneSince(changesBefore)) {
      keepLatest(this.#ids, userId, id, MOST_USERS);
    }
    return id;
  }

  /** Removes an id whose reader no longer exists. @returns whether it was cached */
  forget(userId: string): boolean {
    const isKnown = this.#ids.has(userId);
    this.#changes.note(userId);
    return isKnown;
  }
}
