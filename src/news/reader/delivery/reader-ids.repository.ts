import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Database, type SqlRunner } from '../../../database/database.js';
import { DatabaseNotices, type NoticeListener } from '../../../database/notices/notices.js';
import { DatabaseUnavailable } from '../../../database/database-unavailable.js';
import { isReaderOn } from '../../../database/silent-servers/workers.repository.js';
import { prepared } from '../../../database/prepared.js';

/** Announced by a trigger on `reader_user`, with the user id. */
const CHANNEL = 'gatefold_reader_removed';

/** The id of users who never used the feed reader. No row has it, so that they are found to have nothing. */
export const NO_READER = 0;

const FIND = prepared('reader-id', 'select reader_id as id from reader_user where user_id = $1');

const MOST_USERS = 100_000;

/**
 * The ids of users' readers, by which all of their rows are found. An id never changes while the account
 * lives, so this process remembers it. An account that is removed and made again gets another: its
 * removal is announced to all processes, and while no notices are received, nothing is remembered.
 */
@Injectable()
export class ReaderIds implements OnApplicationBootstrap {
  /** The longest remembered first. */
  readonly #ids = new Map<string, number>();
  readonly #listener: NoticeListener = {
    heard: (userId) => void this.forget(userId),
    lost: () => this.#stopListening(),
    resumed: () => (this.#isListening = true),
  };
  #isListening = false;
  /** Notices so far: a row that was read before one may be older than it. */
  #changes = 0;

  constructor(
    private readonly database: Database,
    private readonly notices: DatabaseNotices,
    private readonly http: HttpAdapterHost,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    // CLI commands start no web server.
    if (this.http?.httpAdapter) {
      await this.notices.listen(CHANNEL, this.#listener);
      this.#isListening = true;
    }
  }

  /**
   * @param tx to read in a transaction, before it creates a reader
   * @returns `NO_READER` for a user who never used the feed reader
   * @throws DatabaseUnavailable while the worker with the rows does not answer
   */
  async of(userId: string, tx: SqlRunner = this.database): Promise<number> {
    const id = await this.#find(userId, tx);
    const { silentWorkers } = this.database;
    if (id !== NO_READER && silentWorkers.length > 0 && (await isReaderOn(tx, silentWorkers, id))) {
      throw new DatabaseUnavailable('partly-away');
    }
    return id;
  }

  async #find(userId: string, tx: SqlRunner): Promise<number> {
    const known = this.#ids.get(userId);
    if (known !== undefined) {
      return known;
    }
    const changesBefore = this.#changes;
    const [row] = await tx.query<{ id: number }>(FIND, [userId]);
    const id = row?.id ?? NO_READER;
    if (id !== NO_READER && this.#isListening && this.#changes === changesBefore) {
      this.#remember(userId, id);
    }
    return id;
  }

  /** For an id whose reader turned out to be gone. @returns whether it was remembered */
  forget(userId: string): boolean {
    this.#changes += 1;
    return this.#ids.delete(userId);
  }

  #remember(userId: string, id: number): void {
    this.#ids.set(userId, id);
    for (const [longest] of this.#ids) {
      if (this.#ids.size <= MOST_USERS) {
        return;
      }
      this.#ids.delete(longest);
    }
  }

  #stopListening(): void {
    this.#isListening = false;
    this.#changes += 1;
    this.#ids.clear();
  }
}
