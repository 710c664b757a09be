import type { SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { SOURCE_COLUMNS, SOURCE_TABLES, type Source } from '../sources.sql.js';

/** Permission to fetch a source and to write the result, until the lease ends or is lost. */
export interface Lease {
  readonly sourceId: number;
  readonly token: string;
  readonly hostKey: string;
  /** False for an allow-listed host, which needs no gap between requests. */
  readonly spaced: boolean;
  /** Until the slot of its host that was reserved for it. */
  readonly waitMs: number;
  /** As it was when it was leased; nobody else fetches it meanwhile. Read from the database if absent. */
  readonly source?: Source | undefined;
  /** When an updater's request for this fetch began, by the database's clock. */
  readonly askedAt?: string | undefined;
}

/** A source with the lease that was taken for it. */
export type LeasedSource = Source & Pick<Lease, 'token' | 'hostKey' | 'spaced'>;

/** A source to be claimed. */
export interface DueSource {
  readonly sourceId: number;
  readonly hostKey: string;
}

/** A source with the slot of its host: how far ahead of now it lies. */
export type Slot = DueSource & { readonly spaced: boolean; readonly waitMs: number };

/** A locked host, and how far ahead of now its first free slot lies. */
export interface LockedHost {
  readonly spaced: boolean;
  readonly firstMs: number;
  /** Slots that are used by the current claim. */
  taken: number;
}

/**
 * Longer than any fetch may take, reading included. A process that dies while it holds a lease delays
 * the source by no more than this.
 */
export const LEASE_SECONDS = 90;

/** No rule asks for a longer wait; a later date was set by a wrong clock. */
export const LONGEST_WAIT_SECONDS = 8 * 86_400;

const IS_DUE = `due_at <= now()
        and exists (select from follower where follower.source_id = source_schedule.source_id)`;

const IS_ANY_DUE = prepared(
  'is-any-due',
  `select exists (select from source_schedule where ${IS_DUE}) as "isDue"`,
);

/** By source_schedule_due_at_index. */
export async function isAnySourceDue(runner: SqlRunner): Promise<boolean> {
  const [row] = await runner.query<{ isDue: boolean }>(IS_ANY_DUE);
  return row?.isDue ?? false;
}

/**
 * Locks sources that are due, longest due first; by source_schedule_due_at_index.
 *
 * @param exceptHosts leaves their sources out
 */
export async function lockDueSources(
  tx: SqlRunner,
  limit: number,
  exceptHosts: readonly string[],
): Promise<DueSource[]> {
  return tx.query<DueSource>(
    `select source_id as "sourceId", host_key as "hostKey" from source_schedule
      where ${IS_DUE} and host_key <> all($2::text[])
      order by due_at limit $1 for update skip locked`,
    [limit, exceptHosts],
  );
}

/** Locks those of these sources that are not leased, in this order. */
export async function lockUnleasedSources(
  tx: SqlRunner,
  sourceIds: readonly number[],
): Promise<DueSource[]> {
  return tx.query<DueSource>(
    `select source_id as "sourceId", host_key as "hostKey" from source_schedule
      where source_id = any($1::bigint[]) and (lease_token is null or due_at <= now())
      order by array_position($1::bigint[], source_id) for update skip locked`,
    [sourceIds],
  );
}

/** Sets of an `update source_schedule` that takes a lease, whatever lease it had. */
export const takingLease = (token = 'gen_random_uuid()'): string =>
  `due_at = now() + make_interval(secs => ${LEASE_SECONDS}), set_at = now(), lease_token = ${token}`;

/** Its results. */
export const TAKEN_LEASE = `source_schedule.source_id, lease_token as token, host_key as "hostKey",
            not coalesce((select unspaced from host_state
                           where host_state.host_key = source_schedule.host_key), false) as spaced`;

/** Whether the publisher asked for no requests now, of `schedule` with its `host_state` as `host`. */
export const IS_RESTING = `coalesce(host.not_before > now() or schedule.lease_token is null
                       and schedule.due_at > now() and schedule.rests_until > now(), false)`;

/** Leases one source, due or not, and ends the lease of any other process. */
export async function takeLease(runner: SqlRunner, sourceId: number): Promise<Lease | null> {
  const [row] = await runner.query<LeasedSource>(
    `with leased as (
       update source_schedule set ${takingLease()} where source_id = $1 returning ${TAKEN_LEASE}
     )
     select token, "hostKey", spaced, ${SOURCE_COLUMNS}
       from ${SOURCE_TABLES} join leased on leased.source_id = source.id`,
    [sourceId],
  );
  return row === undefined ? null : leaseOf(row);
}

/** @param askedAt see `Lease` */
export function leaseOf(row: LeasedSource, askedAt?: string): Lease {
  const { token, hostKey, spaced, ...source } = row;
  return { sourceId: source.id, token, hostKey, spaced, waitMs: 0, source, askedAt };
}

/** Returns leases; their sources are due after `seconds`. */
export async function returnLeases(
  runner: SqlRunner,
  leases: readonly Lease[],
  seconds: number,
): Promise<void> {
  await runner.query(
    `update source_schedule
        set due_at = now() + make_interval(secs => $3), set_at = now(), lease_token = null
       from unnest($1::bigint[], $2::uuid[]) as unused (source_id, token)
      where source_schedule.source_id = unused.source_id and lease_token = unused.token`,
    [leases.map((l) => l.sourceId), leases.map((l) => l.token), seconds],
  );
}

/**
 * Locks the hosts until the transaction ends, ordered by name, so that two processes cannot deadlock.
 * A slot further ahead than slots are ever reserved was set by a wrong clock.
 */
export async function lockHosts(
  tx: SqlRunner,
  due: readonly { readonly hostKey: string }[],
): Promise<Map<string, LockedHost>> {
  const rows = await tx.query<{ hostKey: string; unspaced: boolean; firstMs: number }>(
    `insert into host_state as host (host_key, next_slot_at)
     select host_key, now() from unnest($1::text[]) as wanted (host_key) order by host_key
     on conflict (host_key) do update
        set next_slot_at = case when host.next_slot_at > now() + interval '10 minutes' then now()
                                else greatest(host.next_slot_at, now()) end,
            not_before = case when host.not_before between now() and now() + make_interval(secs => $2)
                              then host.not_before end
     returning host_key as "hostKey", unspaced,
               ceil(extract(epoch from greatest(case when unspaced then now() else next_slot_at end,
                                                not_before) - now()) * 1000)::int as "firstMs"`,
    [[...new Set(due.map(({ hostKey }) => hostKey))].sort(), LONGEST_WAIT_SECONDS],
  );
  return new Map(
    rows.map(({ hostKey, unspaced, firstMs }) => [
      hostKey,
      { spaced: !unspaced, firstMs, taken: 0 },
    ]),
  );
}

/** Leases the sources of these slots; they are locked by this transaction. */
export async function takeLeases(tx: SqlRunner, chosen: readonly Slot[]): Promise<Lease[]> {
  const rows = await tx.query<{ sourceId: number; token: string }>(
    `update source_schedule
        set due_at = now() + make_interval(secs => ${LEASE_SECONDS}), set_at = now(),
            lease_token = gen_random_uuid(), wanted_again = false
      where source_id = any($1::bigint[])
     returning source_id as "sourceId", lease_token as token`,
    [chosen.map(({ sourceId }) => sourceId)],
  );
  const tokens = new Map(rows.map(({ sourceId, token }) => [sourceId, token]));
  return chosen.flatMap((slot) => {
    const token = tokens.get(slot.sourceId);
    return token === undefined ? [] : [{ ...slot, token }];
  });
}

/** Reserves the used slots of these hosts for this claim. */
export async function reserveSlots(
  tx: SqlRunner,
  hosts: ReadonlyMap<string, LockedHost>,
  gapMs: number,
): Promise<void> {
  const used = [...hosts].filter(([, { taken, spaced }]) => taken > 0 && spaced);
  if (used.length === 0) {
    return;
  }
  await tx.query(
    `update host_state
        set previous_slot_at = now() + make_interval(secs => reserved.first_ms / 1000.0),
            next_slot_at = now() + make_interval(secs => (reserved.first_ms + reserved.taken * $4::int) / 1000.0)
       from unnest($1::text[], $2::int[], $3::int[]) as reserved (host_key, first_ms, taken)
      where host_state.host_key = reserved.host_key`,
    [
      used.map(([hostKey]) => hostKey),
      used.map(([, { firstMs }]) => firstMs),
      used.map(([, { taken }]) => taken),
      gapMs,
    ],
  );
}

/** Makes sources due at the time of their slot. */
export async function postpone(tx: SqlRunner, deferred: readonly Slot[]): Promise<void> {
  if (deferred.length === 0) {
    return;
  }
  await tx.query(
    `update source_schedule
        set due_at = now() + make_interval(secs => later.wait_ms / 1000.0), set_at = now(),
            lease_token = null
       from unnest($1::bigint[], $2::int[]) as later (source_id, wait_ms)
      where source_schedule.source_id = later.source_id`,
    [deferred.map(({ sourceId }) => sourceId), deferred.map(({ waitMs }) => waitMs)],
  );
}
