import { DatabaseUnavailable } from '../../../database/database-unavailable.js';
import type { Database } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { currentRight, forOthersToo } from '../../../database/statement-limits.js';
import type { Statement } from '../../../database/statement.js';
import { currentClient } from '../../http/requesting-client.interceptor.js';
import { tellingOfFlags } from '../delivery/announcements.sql.js';
import { coverEffects, keepEffects } from '../delivery/covered-effects.sql.js';
import {
  APPS_LISTEN,
  doAppsListen,
  isAboutListeners,
  NO_APP_LISTENS,
} from '../delivery/item-events.sql.js';
import { keepCounts } from '../delivery/kept-counts.sql.js';
import {
  NO_READER,
  type Reader,
  type ReaderIdsRepository,
} from '../delivery/reader-ids.repository.js';
import { LOCK, locked } from '../delivery/reader-locks.repository.js';
import { firstArrivedAt } from './arrivals.sql.js';

export type ItemFlag = 'unread' | 'starred';

/** The unread items that a "mark all read" includes. */
export type ReadScope =
  | { readonly of: 'all' | 'starred' }
  | { readonly of: 'folder'; readonly folderId: number }
  | { readonly of: 'feed'; readonly feedId: number }
  /** Items of any of the feeds, and items with the label. */
  | { readonly of: 'tag'; readonly feedIds: readonly number[]; readonly labelId: number | null };

/** A requested change of flags. */
export type FlagChange =
  | { readonly itemIds: readonly number[]; readonly flag: ItemFlag; readonly value: boolean }
  | {
      readonly readUpTo: number;
      /** Unit of `readUpTo`: an item id, or an arrival in unix microseconds. Default `id`. */
      readonly by?: 'id' | 'arrival';
      readonly scope: ReadScope;
    };

/** A row of the statements that change flags. */
export interface FlagsChanged {
  /** Null when the user never used the feed reader. */
  readonly readerId: number | null;
  /** The items that exist, changed or not; or the given feed or folder, if it exists. */
  readonly found: readonly number[];
  /** Whether external apps listen for events. */
  readonly areEventsWanted: boolean;
}

/** New flags of one item; undefined keeps the present one. */
type ItemFlags = Readonly<Partial<Record<ItemFlag, boolean>>>;

/**
 * Whether a statement records events. If not, it fails when an app listens, and otherwise changes one
 * shard by one statement.
 */
export type Recording = 'with-events' | 'without-events';

interface Waiting {
  readonly change: FlagChange;
  readonly client: string | null;
  /** @throws why the request may do nothing more */
  readonly assertRight: (() => void) | undefined;
  readonly settled: PromiseWithResolvers<FlagsChanged>;
}

const GUARDS: Readonly<Record<Recording, string>> = {
  'with-events': 'true',
  'without-events': NO_APP_LISTENS,
};

const CHANGED = (recording: Recording) => `
  (select id from locked) as "readerId",
  ${recording === 'with-events' ? APPS_LISTEN : 'false'} as "areEventsWanted"`;

const SET_FLAGS = (recording: Recording) => `
  with ${locked(GUARDS[recording])}, given as (
    select item.id, item.subscription_id, item.unread as was_unread, item.starred as was_starred,
           coalesce(flags.unread, item.unread) as unread,
           coalesce(flags.starred, item.starred) as starred
      from locked
     -- The limit is no limit, but lets the planner expect few rows, so that it keeps one plan.
     cross join (select * from unnest($2::bigint[], $3::boolean[], $4::boolean[])
                  limit cardinality($2)) as flags (item_id, unread, starred)
      join item on item.reader_id = $1 and item.id = flags.item_id
      join subscription s on s.reader_id = $1 and s.id = item.subscription_id and s.deleted_at is null
  ), changed as (
    update item set unread = given.unread, starred = given.starred,
                    last_modified_micros = locked.stamp
      from locked, given
     where item.reader_id = $1 and item.id = given.id
       and (given.unread <> given.was_unread or given.starred <> given.was_starred)
    returning item.id, item.subscription_id, given.unread::int - given.was_unread::int as unread,
              given.starred::int - given.was_starred::int as starred
  ), ${keepEffects('select id from given where unread = was_unread and starred = was_starred')},
  ${keepCounts('$1', '(select stamp from locked)', recording === 'with-events')}
  select ${CHANGED(recording)}, coalesce((select json_agg(id) from given), '[]') as found`;

const SET = {
  'with-events': prepared('set-flags-with-events', SET_FLAGS('with-events')),
  'without-events': prepared('set-flags', SET_FLAGS('without-events')),
};

const OF_UNMARKED_FEEDS = `item.subscription_id not in (
      select s.id from subscription s where s.reader_id = $1 and s.deleted_at is not null)`;

/**
 * Conditions on `item`, with the scope's ids in `$3` and, of a tag, `$4`; and the ids of the given feed or
 * folder.
 */
const SCOPES: Readonly<
  Record<ReadScope['of'], { readonly items: string; readonly found: string }>
> = {
  all: {
    items: OF_UNMARKED_FEEDS,
    found: 'select $3::bigint',
  },
  starred: {
    items: `item.starred and ${OF_UNMARKED_FEEDS}`,
    found: 'select $3::bigint',
  },
  tag: {
    items: `(item.subscription_id = any($3::bigint[])
             or item.id in (select item_label.item_id from item_label
                             where item_label.reader_id = $1 and item_label.label_id = $4))
            and ${OF_UNMARKED_FEEDS}`,
    found: 'select null::bigint',
  },
  folder: {
    items: `item.subscription_id in (
      select s.id from subscription s
       where s.reader_id = $1 and s.folder_id = $3 and s.deleted_at is null)`,
    found: `select folder.id from folder
             where folder.reader_id = $1 and folder.id = $3 and folder.deleted_at is null`,
  },
  feed: {
    items: 'item.subscription_id = $3',
    found: `select s.id from subscription s
             where s.reader_id = $1 and s.id = $3 and s.deleted_at is null`,
  },
};

/** Bounds of one transaction: others of the user wait for it. */
const MOST_CHANGES = 100;
const MOST_ITEMS = 20_000;

const NOTHING: FlagsChanged = { readerId: null, found: [], areEventsWanted: false };

/** Limit of waiting requests per user; further ones are refused. */
const MOST_WAITING = 1000;

/**
 * Changes of flags. Changes of one user that arrive while a transaction of this process changes the same
 * user's flags are committed together by the next one: they would wait for each other's lock, and each
 * commit waits for the disk. They take effect in the order in which they arrived; each caller gets its own
 * result. Who has lost the right to a change before it is sent is refused alone.
 *
 * @see docs/decisions/0033-requests-of-clients.md
 */
export class FlagChangesRepository {
  /** Keyed by reader; the first entries of a list may be in progress. */
  readonly #queues = new Map<number, Waiting[]>();
  /** A guess: a transaction that should have recorded events fails, and is made again. */
  #recording: Recording | undefined;

  constructor(
    private readonly database: Database,
    private readonly ids: ReaderIdsRepository,
  ) {}

  /**
   * Resolves when the change is committed.
   *
   * @throws DatabaseUnavailable also when too many changes of this user are waiting
   */
  async make(reader: Reader, change: FlagChange): Promise<FlagsChanged> {
    if (reader.id === NO_READER) {
      return NOTHING;
    }
    const queue = this.#queues.get(reader.id);
    if (queue !== undefined && queue.length >= MOST_WAITING) {
      throw new DatabaseUnavailable('busy');
    }
    const settled = Promise.withResolvers<FlagsChanged>();
    const waiting = { change, client: currentClient(), assertRight: currentRight(), settled };
    if (queue === undefined) {
      const begun = [waiting];
      this.#queues.set(reader.id, begun);
      // A copy: a change of the same request may set another id.
      void forOthersToo(() => this.#work({ ...reader }, begun));
    } else {
      queue.push(waiting);
    }
    return settled.promise;
  }

  async #work(reader: Readonly<Reader>, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const group = firstOf(queue);
      try {
        await this.#commit(reader, group);
        queue.splice(0, group.length);
      } catch (error) {
        // The others would fail as well, each group after a time limit of its own.
        queue.splice(0).forEach(({ settled }) => settled.reject(error));
      }
    }
    this.#queues.delete(reader.id);
  }

  /**
   * Settles a group.
   *
   * @throws DatabaseUnavailable; then it may be unsettled
   */
  async #commit(reader: Readonly<Reader>, asked: readonly Waiting[]): Promise<void> {
    const group = asked.filter(isStillAllowed);
    if (group.length === 0) {
      return;
    }
    const runs = runsOf(group);
    try {
      const results = await this.#send(reader.id, runs);
      runs.forEach((run, n) => {
        const [changed = NOTHING] = results[n] as FlagsChanged[];
        if (changed.readerId === null) {
          this.ids.forget(reader.userId);
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
      // One change failed, and all were rolled back.
      for (const one of group) {
        await this.#commit(reader, [one]);
      }
    }
  }

  /** @returns the rows of each run's statement */
  async #send(readerId: number, runs: readonly Waiting[][]): Promise<unknown[][]> {
    const recording = (this.#recording ??= recordingFor(await doAppsListen(this.database)));
    try {
      const [, ...results] = await this.database.transactionOf([
        { sql: LOCK, params: [readerId] },
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

/** Otherwise refused. */
function isStillAllowed({ assertRight, settled }: Waiting): boolean {
  try {
    assertRight?.();
    return true;
  } catch (error) {
    settled.reject(error);
    return false;
  }
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

/**
 * Sets flags of items, and stamps changed ones; after `LOCK` in the same transaction. Ids of other users'
 * items and unknown ids are ignored.
 *
 * @returns a statement with one row, `FlagsChanged`
 */
export function flagsSetting(
  readerId: number,
  flags: ReadonlyMap<number, ItemFlags>,
  recording: Recording,
): Statement {
  return {
    sql: SET[recording],
    params: [
      readerId,
      [...flags.keys()],
      Array.from(flags.values(), ({ unread }) => unread ?? null),
      Array.from(flags.values(), ({ starred }) => starred ?? null),
    ],
  };
}

/**
 * Marks unread items read, up to and including the `newest`, and stamps them; after `LOCK` in the same
 * transaction. By item_unread_index. Changes nothing when the feed or folder does not exist.
 *
 * @param by whether `newest` is the id of an item, or an arrival in unix microseconds
 * @returns a statement with one row, `FlagsChanged`
 */
function readingUpTo(
  readerId: number,
  scope: ReadScope,
  newest: number,
  recording: Recording,
  by: 'id' | 'arrival' = 'id',
): Statement {
  const { items, found } = SCOPES[scope.of];
  const upTo =
    by === 'id' ? 'item.id <= $2' : `item.id < ${firstArrivedAt('$1', '($2::bigint + 1)')}`;
  const sql = `
    with ${locked(GUARDS[recording])}, found (id) as (${found}), changed as (
      update item set unread = false, last_modified_micros = locked.stamp
        from locked
       where item.reader_id = $1 and item.unread and ${upTo} and ${items}
         and exists (select 1 from found)
      returning item.id, item.subscription_id, -1 as unread, 0 as starred
    ), ${coverEffects(`${upTo} and ${items} and exists (select 1 from found)`)}, ${keepCounts('$1', '(select stamp from locked)', recording === 'with-events')}
    select ${CHANGED(recording)}, coalesce((select json_agg(id) from found), '[]') as found`;
  return {
    sql,
    params: [readerId, newest, scopeIds(scope), ...(scope.of === 'tag' ? [scope.labelId] : [])],
  };
}

function scopeIds(scope: ReadScope): number | readonly number[] | null {
  switch (scope.of) {
    case 'feed':
      return scope.feedId;
    case 'folder':
      return scope.folderId;
    case 'tag':
      return scope.feedIds;
    default:
      return null;
  }
}
