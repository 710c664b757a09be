import type { Database } from '../../../database/database.js';
import { DatabaseUnavailable } from '../../../database/database-unavailable.js';
import type { Statement } from '../../../database/statement.js';
import { doAppsListen, isAboutListeners } from '../events/item-events.sql.js';
import type { ReaderIds } from '../delivery/reader-ids.repository.js';
import { tellingOfFlags } from '../delivery/announcements.sql.js';
import { lockOf } from '../delivery/readers.sql.js';
import { currentClient } from '../delivery/requesting-client.js';
import {
  flagsSetting,
  readingUpTo,
  type FlagsChanged,
  type ItemFlag,
  type ItemFlags,
  type ReadLimit,
  type ReadScope,
  type Recording,
} from './items.sql.js';

/** A change of flags as a request asks for it. */
export type FlagChange =
  | { readonly itemIds: readonly number[]; readonly flag: ItemFlag; readonly value: boolean }
  | {
      readonly readUpTo: number;
      /** What `readUpTo` is: an item id, or an arrival in unix microseconds. Default `id`. */
      readonly by?: ReadLimit;
      readonly scope: ReadScope;
    };

interface Waiting {
  readonly change: FlagChange;
  readonly client: string | null;
  readonly settled: PromiseWithResolvers<FlagsChanged>;
}

/** Bounds of one transaction: others of the user wait for it. */
const MOST_CHANGES = 100;
const MOST_ITEMS = 20_000;

const NOTHING: FlagsChanged = { readerId: null, found: [], areEventsWanted: false };

/** Beyond this many, requests of one user are refused. */
const MOST_WAITING = 1000;

/**
 * Changes of flags. Those of one user that arrive while a transaction of this process changes the same
 * user's flags are committed together by the next one: they would wait for each other's lock, and each
 * commit waits for the disk. They take effect in the order in which they arrived; each caller gets its
 * own result.
 *
 * @see docs/decisions/0033-requests-of-clients.md
 */
export class FlagChanges {
  /** By user; the first entries of a list may be under way. */
  readonly #queues = new Map<string, Waiting[]>();
  /** A guess: a transaction that should have recorded events fails, and is made again. */
  #recording: Recording | undefined;

  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIds,
  ) {}

  /**
   * Resolves when the change is committed.
   *
   * @throws DatabaseUnavailable also when too many changes of this user are waiting
   */
  async make(userId: string, change: FlagChange): Promise<FlagsChanged> {
    const queue = this.#queues.get(userId);
    if (queue !== undefined && queue.length >= MOST_WAITING) {
      throw new DatabaseUnavailable('busy');
    }
    const settled = Promise.withResolvers<FlagsChanged>();
    const waiting = { change, client: currentClient(), settled };
    if (queue === undefined) {
      const begun = [waiting];
      this.#queues.set(userId, begun);
      void this.#work(userId, begun);
    } else {
      queue.push(waiting);
    }
    return settled.promise;
  }

  async #work(userId: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const group = firstOf(queue);
      try {
        await this.#commit(userId, group);
        queue.splice(0, group.length);
      } catch (error) {
        // The others would fail as well, each group after a time limit of its own.
        queue.splice(0).forEach(({ settled }) => settled.reject(error));
      }
    }
    this.#queues.delete(userId);
  }

  /**
   * Settles a group.
   *
   * @throws DatabaseUnavailable; then it may be unsettled
   */
  async #commit(userId: string, group: readonly Waiting[]): Promise<void> {
    const runs = runsOf(group);
    try {
      const readerId = await this.ids.of(userId);
      if (readerId === null) {
        group.forEach(({ settled }) => settled.resolve(NOTHING));
        return;
      }
      const results = await this.#send(readerId, runs);
      runs.forEach((run, n) => {
        const [changed = NOTHING] = results[n] as FlagsChanged[];
        if (changed.readerId === null) {
          this.ids.forget(userId);
        }
        run.forEach(({ settled }) => settled.resolve(changed));
      });
    } catch (error) {
      if (error instanceof DatabaseUnavailable) {
        throw error;
      }
      if (group.length === 1) {
        group[0]?.settled.reject(error);
        return;
      }
      // One of them failed, and all were rolled back.
      for (const one of group) {
        await this.#commit(userId, [one]);
      }
    }
  }

  /** @returns the rows of each run's statement */
  async #send(readerId: number, runs: readonly Waiting[][]): Promise<unknown[][]> {
    const recording = (this.#recording ??= recordingFor(await doAppsListen(this.database)));
    try {
      const [, ...results] = await this.database.transactionOf([
        lockOf(readerId),
        ...runs.map((run) => toStatement(readerId, run, recording)),
        tellingOfFlags(readerId, clientOf(runs.flat()), recording === 'with-events'),
      ]);
      const last = results.at(-2) as FlagsChanged[];
      this.#recording = recordingFor(last[0]?.areEventsWanted === true);
      return results;
    } catch (error) {
      if (!isAboutListeners(error) || recording === 'with-events') {
        throw error;
      }
      this.#recording = 'with-events';
      return this.#send(readerId, runs);
    }
  }
}

/** The changes of the next transaction; at least one. */
function firstOf(queue: readonly Waiting[]): Waiting[] {
  let items = 0;
  const end = queue.findIndex(({ change }, n) => {
    items += 'itemIds' in change ? change.itemIds.length : 0;
    return n > 0 && (n >= MOST_CHANGES || items > MOST_ITEMS);
  });
  return queue.slice(0, end === -1 ? queue.length : end);
}

/** Divides a group so that each part is one statement; the order stays. */
function runsOf(group: readonly Waiting[]): Waiting[][] {
  const runs: Waiting[][] = [];
  for (const waiting of group) {
    const last = runs.at(-1);
    if (last !== undefined && namesItems(last[0]) && namesItems(waiting)) {
      last.push(waiting);
    } else {
      runs.push([waiting]);
    }
  }
  return runs;
}

function namesItems(waiting: Waiting | undefined): boolean {
  return waiting !== undefined && 'itemIds' in waiting.change;
}

function recordingFor(areEventsWanted: boolean): Recording {
  return areEventsWanted ? 'with-events' : 'without-events';
}

/** Changes of several clients are news for each of them. */
function clientOf(group: readonly Waiting[]): string | null {
  const clients = new Set(group.map(({ client }) => client));
  return clients.size === 1 ? (group[0]?.client ?? null) : null;
}

function toStatement(readerId: number, run: readonly Waiting[], recording: Recording): Statement {
  const flags = new Map<number, ItemFlags>();
  for (const { change } of run) {
    if ('readUpTo' in change) {
      return readingUpTo(readerId, change.scope, change.readUpTo, recording, change.by);
    }
    for (const itemId of change.itemIds) {
      flags.set(itemId, { ...flags.get(itemId), [change.flag]: change.value });
    }
  }
  return flagsSetting(readerId, flags, recording);
}
