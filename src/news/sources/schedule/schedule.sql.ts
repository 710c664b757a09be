import type { SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { SOURCE_COLUMNS, SOURCE_TABLES, type Source } from '../sources.sql.js';
import type { FetchLane, FetchShares } from './fetch-shares.js';
import { FOLLOWERS_WANT, PUBLISHER_WANTS } from './next-update.js';

/** Permission to fetch a source and to write the result, until the lease ends or is lost. */
export interface Lease {
  readonly sourceId: number;
  readonly token: string;
  readonly hostKey: string;
  /** False for an allow-listed host, which needs no gap between requests. */
  readonly spaced: boolean;
  /** Time until the reserved slot of its host. */
  readonly waitMs: number;
  /** Default `slow`; known of leases by the schedule. */
  readonly lane?: FetchLane;
  /** The source as it was leased; the lease excludes other fetches. Read from the database if absent. */
  readonly source?: Source | undefined;
  /** Start of an updater's request for this fetch, by the database's clock. */
  readonly askedAt?: string | undefined;
}

/** A source with the lease that was taken for it. */
export type LeasedSource = Source & Pick<Lease, 'token' | 'hostKey' | 'spaced'>;

/** Whether the requests to a host are spaced, and how far ahead of now its first free slot lies. */
interface HostState {
  readonly spaced: boolean;
  readonly firstMs: number;
}

/** A source to be claimed, with its host as it was read without a lock. */
export interface DueSource extends HostState {
  readonly sourceId: number;
  readonly hostKey: string;
}

/** A source with the slot of its host: how far ahead of now it lies. */
export type Slot = Omit<DueSource, 'firstMs'> & { readonly waitMs: number };

/**
 * Longer than any fetch may take, reading included. A process that dies while it holds a lease delays
 * the source by no more than this.
 */
export const LEASE_SECONDS = 90;

/** Maximum wait by any rule; a later date was set by a wrong clock. */
export const LONGEST_WAIT_SECONDS = 8 * 86_400;

/** The `set` clause of an `update source_schedule` that takes a lease, overwriting any other. */
export const takingLease = (token = 'gen_random_uuid()'): string =>
  `due_at = now() + make_interval(secs => ${LEASE_SECONDS}), set_at = now(), lease_token = ${token}`;

/** The `returning` clause of `takingLease`. */
export const TAKEN_LEASE = `source_schedule.source_id, lease_token as token, host_key as "hostKey",
            not coalesce((select unspaced from host_state
                           where host_state.host_key = source_schedule.host_key), false) as spaced`;

/** Whether the publisher asked for no requests now, of `schedule` with its `host_state` as `host`. */
export const IS_RESTING = `coalesce(host.not_before > now() or schedule.lease_token is null
                       and schedule.due_at > now() and schedule.rests_until > now(), false)`;

/** @param askedAt see `Lease` */
export function leaseOf(row: LeasedSource, askedAt?: string): Lease {
  const { token, hostKey, spaced, ...source } = row;
  return { sourceId: source.id, token, hostKey, spaced, waitMs: 0, source, askedAt };
}

/** Of `host_state` as `host`: when its pause ends; null without one. */
const NOT_BEFORE = `case when host.not_before between now()
                                    and now() + make_interval(secs => ${LONGEST_WAIT_SECONDS})
                                then host.not_before end`;

/**
 * Of `host_state` as `host`, or of none: how far ahead of now its first free slot lies, in milliseconds. A slot
 * further ahead than any is reserved was set by a wrong clock.
 */
const FIRST_MS = `ceil(extract(epoch from greatest(now(), ${NOT_BEFORE},
    case when not host.unspaced and host.next_slot_at <= now() + interval '10 minutes'
         then host.next_slot_at end) - now()) * 1000)::int`;

/** SQL of `DueSource`, without a condition. */
export const SELECT_DUE = `
  select source_id as "sourceId", source_schedule.host_key as "hostKey",
         not coalesce(host.unspaced, false) as spaced, ${FIRST_MS} as "firstMs"
    from source_schedule left join host_state host on host.host_key = source_schedule.host_key`;

/** Locks the sources that are not leased, in this order. */
export async function lockUnleasedSources(
  sourceIds: readonly number[],
  tx: SqlRunner,
): Promise<DueSource[]> {
  return tx.query<DueSource>(
    `${SELECT_DUE}
      where source_id = any($1::bigint[]) and (lease_token is null or due_at <= now())
      order by array_position($1::bigint[], source_id) for update of source_schedule skip locked`,
    [sourceIds],
  );
}

const RESERVE_SLOTS = prepared(
  'reserve-slots',
  `insert into host_state as host (host_key, previous_slot_at, next_slot_at)
     select host_key, now(), now() + make_interval(secs => count * $3::float8 / 1000)
       from unnest($1::text[], $2::int[]) as wanted (host_key, count) order by host_key
     on conflict (host_key) do update
        set previous_slot_at = now() + make_interval(secs => ${FIRST_MS} / 1000.0),
            next_slot_at = now() + least(make_interval(secs => ${FIRST_MS} / 1000.0)
                                           + (excluded.next_slot_at - excluded.previous_slot_at),
                                         make_interval(secs => ($3 + $4::float8) / 1000)),
            not_before = ${NOT_BEFORE}
      where ${FIRST_MS} <= $4
     returning host_key as "hostKey", not unspaced as spaced,
               round(extract(epoch from previous_slot_at - now()) * 1000)::int as "firstMs"`,
);

/**
 * Reserves slots of these hosts, each as many after its first free one as are wanted and lie within the horizon.
 * Locks the hosts until the transaction ends, ordered by name, so that two processes cannot deadlock.
 *
 * @param wanted number of slots, by host
 * @returns the first slot of each host; hosts without one are omitted
 */
export async function reserveSlots(
  wanted: ReadonlyMap<string, number>,
  gapMs: number,
  horizonMs: number,
  runner: SqlRunner,
): Promise<ReadonlyMap<string, HostState>> {
  if (wanted.size === 0) {
    return new Map();
  }
  const rows = await runner.query<HostState & { hostKey: string }>(RESERVE_SLOTS, [
    [...wanted.keys()],
    [...wanted.values()],
    gapMs,
    horizonMs,
  ]);
  return new Map(rows.map(({ hostKey, ...host }) => [hostKey, host]));
}

/** Answers that take longer make a source slow. */
const QUICK_MS = 5000;

/**
 * SQL of a source's `FetchLane`. By fetch_attempt_source_id_index.
 *
 * @param sourceId SQL of its id
 */
export const laneOf = (sourceId: string): string =>
  `coalesce((select case when outcome = 'outage' then 'held'
                         when outcome in ('read', 'unchanged') and duration_ms < ${QUICK_MS} then 'quick' end
               from fetch_attempt where fetch_attempt.source_id = ${sourceId}
              order by fetch_attempt.id desc limit 1), 'slow')`;

const SOURCES_TO_LEASE = prepared(
  'sources-to-lease',
  `select ${SOURCE_COLUMNS}, ${laneOf('source.id')} as lane
     from ${SOURCE_TABLES} where source.id = any($1::bigint[])`,
);

const TAKE_LEASES = prepared(
  'take-leases',
  `update source_schedule set ${takingLease()}, wanted_again = false
    where source_id = any($1::bigint[])
   returning source_id as "sourceId", lease_token as token`,
);

/**
 * Reads the sources of these slots, which are locked by this transaction, and leases them.
 *
 * @param shares leaves out those without a share
 */
export async function takeLeases(
  tx: SqlRunner,
  chosen: readonly Slot[],
  shares?: FetchShares,
): Promise<Lease[]> {
  if (chosen.length === 0) {
    return [];
  }
  const sources = await tx.query<Source & { readonly lane: FetchLane }>(SOURCES_TO_LEASE, [
    chosen.map(({ sourceId }) => sourceId),
  ]);
  const sourceOf = new Map(sources.map(({ lane, ...source }) => [source.id, { lane, source }]));
  const admitted = chosen.flatMap((slot) => {
    const found = sourceOf.get(slot.sourceId);
    return found === undefined || shares?.admit(found) === false ? [] : [{ ...slot, ...found }];
  });
  const rows = await tx.query<{ sourceId: number; token: string }>(TAKE_LEASES, [
    admitted.map(({ sourceId }) => sourceId),
  ]);
  const tokenOf = new Map(rows.map(({ sourceId, token }) => [sourceId, token]));
  return admitted.flatMap((slot) => {
    const token = tokenOf.get(slot.sourceId);
    return token === undefined ? [] : [{ ...slot, token }];
  });
}

/**
 * Makes sources due within `seconds` after their last fetch if only the wish of a follower lets them wait
 * for longer: not if it fails, or if its publisher asks for the wait. Skips locked or leased sources, which
 * are being fetched.
 */
export async function hastenWanted(
  runner: SqlRunner,
  sourceIds: readonly number[],
  seconds: number,
): Promise<void> {
  await runner.query(
    `update source_schedule
        set due_at = sooner.at, set_at = now()
       from (select schedule.source_id as id,
                    greatest(now(), source.fetched_at + make_interval(secs => $2)) as at
               from source_schedule schedule join source on source.id = schedule.source_id
              cross join lateral (select decision from fetch_attempt attempt
                                   where attempt.source_id = source.id
                                   order by attempt.id desc limit 1) latest
              where schedule.source_id = any($1::bigint[]) and schedule.lease_token is null
                and source.error_count = 0
                and (latest.decision like '${FOLLOWERS_WANT}%'
                     or latest.decision not like '${PUBLISHER_WANTS}%'
                        and exists (select 1 from follower
                                     where follower.source_id = source.id
                                       and fetch_every_hours is not null))
                for no key update of schedule skip locked) sooner
      where source_id = sooner.id and sooner.at < due_at`,
    [sourceIds, seconds],
  );
}
