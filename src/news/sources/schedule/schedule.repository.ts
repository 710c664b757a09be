import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';

/** Permission to fetch a source and to write down what came of it, until somebody else gets it. */
export interface Lease {
  readonly sourceId: number;
  readonly token: string;
  readonly hostKey: string;
  /** False for a host of the operator's own network, which needs no distance between calls. */
  readonly spaced: boolean;
  /** How long to wait first, so that the host is not called more often than it should be. */
  readonly waitMs: number;
}

export interface ClaimLimits {
  /** Sources at most. */
  readonly sources: number;
  /** Of one host at most, those included that the caller holds already. */
  readonly perHost: number;
  readonly held: ReadonlyMap<string, number>;
  /** Distance between calls of one host, by all processes together. */
  readonly gapMs: number;
  /** Slots that begin later than this are left for a later claim. */
  readonly horizonMs: number;
}

export interface Claim {
  readonly leases: readonly Lease[];
  /** Sources that were due and got a later date, since their host has no slot for them yet. */
  readonly deferred: number;
}

/** How a source's schedule looks to somebody who asks why nothing happens. Times are unix seconds. */
export interface ScheduleState {
  readonly hostKey: string;
  readonly dueAtSeconds: number;
  readonly leased: boolean;
  /** The host asked not to be called before; null when it did not, or when that is over. */
  readonly hostPausedUntilSeconds: number | null;
  readonly spaced: boolean;
}

/**
 * Longer than any fetch may take, reading included. A process that dies holding a lease delays the
 * source by no more than this.
 */
export const LEASE_SECONDS = 90;

/** No rule asks for a longer wait, so a later date is the trace of a clock that was wrong. */
const LONGEST_WAIT_SECONDS = 8 * 86_400;

/** Clocks of database servers differ by this much after a fail-over without being wrong. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** Due sources looked at beyond those wanted, since hosts without a slot may stand in front. */
const LOOK_AHEAD = 200;

/**
 * When each source is due. The due date is state and lives in a row: a lease moves it ahead, so
 * there is nothing to reconcile after a crash, and any number of processes can share the work.
 * All times are the database's, so that processes with wrong clocks agree.
 */
@Injectable()
export class ScheduleRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes due sources and gives each a slot, so that a host is called at most once in `gapMs` by
   * all processes together. Sources whose host has no slot soon get the time of one as their due
   * date, and so do not stand in the way of other hosts.
   */
  async claimDue(limits: ClaimLimits): Promise<Claim> {
    return this.database.transaction(async (tx) => {
      const due = await tx.query<DueSource>(
        `select source_id as "sourceId", host_key as "hostKey" from source_schedule
          where due_at <= now()
            and exists (select from subscription where subscription.source_id = source_schedule.source_id)
          order by due_at limit $1 for update skip locked`,
        [limits.sources + LOOK_AHEAD],
      );
      if (due.length === 0) {
        return { leases: [], deferred: 0 };
      }
      const hosts = await lockHosts(tx, due);
      const { chosen, deferred } = shareOutSlots(due, hosts, limits);
      const leases = await takeLeases(tx, chosen);
      await reserveSlots(tx, hosts, limits.gapMs);
      await postpone(tx, deferred);
      return { leases, deferred: deferred.length };
    });
  }

  /**
   * Takes those of these sources that nobody is fetching, whether due or not, as far as their hosts
   * have slots within the horizon. The others stay as they are.
   */
  async claimWanted(sourceIds: readonly number[], limits: ClaimLimits): Promise<readonly Lease[]> {
    return this.database.transaction(async (tx) => {
      const wanted = await tx.query<DueSource>(
        `select source_id as "sourceId", host_key as "hostKey" from source_schedule
          where source_id = any($1::bigint[]) and (lease_token is null or due_at <= now())
          order by array_position($1::bigint[], source_id) for update skip locked`,
        [sourceIds],
      );
      if (wanted.length === 0) {
        return [];
      }
      const hosts = await lockHosts(tx, wanted);
      const { chosen } = shareOutSlots(wanted, hosts, limits);
      const leases = await takeLeases(tx, chosen);
      await reserveSlots(tx, hosts, limits.gapMs);
      return leases;
    });
  }

  /** Takes one source at once, whether due or not, away from anybody who may hold it. */
  async claim(sourceId: number): Promise<Lease | null> {
    const [lease] = await this.database.query<Lease>(
      `update source_schedule
          set due_at = now() + make_interval(secs => ${LEASE_SECONDS}), set_at = now(),
              lease_token = gen_random_uuid()
        where source_id = $1
       returning source_id as "sourceId", lease_token as token, host_key as "hostKey", 0 as "waitMs",
                 not coalesce((select unspaced from host_state
                                where host_state.host_key = source_schedule.host_key), false) as spaced`,
      [sourceId],
    );
    return lease ?? null;
  }

  /** Gives back leases that were not used; their sources are due after `seconds`. */
  async release(leases: readonly Lease[], seconds = 0): Promise<void> {
    await this.database.query(
      `update source_schedule
          set due_at = now() + make_interval(secs => $3), set_at = now(), lease_token = null
         from unnest($1::bigint[], $2::uuid[]) as unused (source_id, token)
        where source_schedule.source_id = unused.source_id and lease_token = unused.token`,
      [leases.map((l) => l.sourceId), leases.map((l) => l.token), seconds],
    );
  }

  /**
   * Makes a source due because somebody says that it changed, yet no sooner than `restSeconds`
   * after its last fetch. While it is being fetched, it becomes due right after that.
   */
  async wantSoon(sourceId: number, restSeconds: number): Promise<void> {
    await this.database.query(
      `with wanted as (
         select source_id, greatest(now(), source.fetched_at + make_interval(secs => $2)) as at
           from source_schedule join source on source.id = source_id
          where source_id = $1
       )
       update source_schedule
          set wanted_again = lease_token is not null,
              due_at = case when lease_token is null then least(due_at, wanted.at) else due_at end,
              set_at = case when lease_token is null and wanted.at < due_at then now() else set_at end
         from wanted where source_schedule.source_id = wanted.source_id`,
      [sourceId, restSeconds],
    );
  }

  /** Brings sources forward to within the next `seconds`, spread over them; leased ones stay. */
  async bringForward(sourceIds: readonly number[], seconds: number): Promise<void> {
    await this.database.query(
      `update source_schedule
          set due_at = sooner.at, set_at = now()
         from (select id, now() + make_interval(secs => random() * $2) as at
                 from unnest($1::bigint[]) as wanted (id)) sooner
        where source_id = sooner.id and lease_token is null and sooner.at < due_at`,
      [sourceIds, seconds],
    );
  }

  /**
   * Corrects dates that were set while the clock was ahead: waits last as long as they were meant to,
   * counted from now. Also brings forward what lies further ahead than any rule sets it.
   *
   * @returns the number of sources and hosts that were corrected
   */
  async mendDates(): Promise<number> {
    const sources = await this.database.query(
      `update source_schedule
          set due_at = now() + least(due_at - set_at, make_interval(secs => ${LONGEST_WAIT_SECONDS})),
              set_at = now()
        where set_at > now() + make_interval(secs => ${CLOCK_TOLERANCE_SECONDS})
       returning 1`,
    );
    const hosts = await this.database.query(
      `update host_state
          set not_before = now() + (not_before - not_before_set_at), not_before_set_at = now()
        where not_before_set_at > now() + make_interval(secs => ${CLOCK_TOLERANCE_SECONDS})
       returning 1`,
    );
    const farAhead = await this.database.query(
      `update source_schedule
          set due_at = now() + make_interval(secs => random() * ${LEASE_SECONDS}), set_at = now(),
              lease_token = null
        where due_at > now() + make_interval(secs => ${LONGEST_WAIT_SECONDS})
           or (lease_token is not null and due_at > now() + make_interval(secs => ${2 * LEASE_SECONDS}))
       returning 1`,
    );
    return sources.length + hosts.length + farAhead.length;
  }

  /** Notes whether a host needs a distance between calls; those of one's own network do not. */
  async setSpacing(hostKey: string, spaced: boolean): Promise<void> {
    await this.database.query(
      `insert into host_state (host_key, next_slot_at, unspaced) values ($1, now(), $2)
       on conflict (host_key) do update set unspaced = excluded.unspaced
        where host_state.unspaced <> excluded.unspaced`,
      [hostKey, !spaced],
    );
  }

  /** The host asked not to be called for a while. */
  async pauseHost(hostKey: string, seconds: number): Promise<void> {
    await this.database.query(
      `insert into host_state (host_key, next_slot_at, not_before, not_before_set_at)
       values ($1, now(), now() + make_interval(secs => $2), now())
       on conflict (host_key) do update
          set not_before = greatest(host_state.not_before, excluded.not_before),
              not_before_set_at = case when host_state.not_before > excluded.not_before
                                       then host_state.not_before_set_at else now() end`,
      [hostKey, seconds],
    );
  }

  async stateOf(sourceId: number): Promise<ScheduleState | null> {
    const [state] = await this.database.query<ScheduleState>(
      `select host_key as "hostKey", extract(epoch from due_at)::bigint as "dueAtSeconds",
              lease_token is not null and due_at > now() as leased,
              case when not_before > now() then extract(epoch from not_before)::bigint end
                as "hostPausedUntilSeconds",
              not coalesce(unspaced, false) as spaced
         from source_schedule left join host_state using (host_key)
        where source_id = $1`,
      [sourceId],
    );
    return state ?? null;
  }

  /** When the schedule last moved anything, for the warning that nobody updates feeds. */
  async lastFetchSeconds(): Promise<number | null> {
    const [row] = await this.database.query<{ seconds: number | null }>(
      'select extract(epoch from max(fetched_at))::bigint as seconds from source',
    );
    return row?.seconds ?? null;
  }

  /**
   * Lets one process in `everySeconds` do a task for all of them.
   *
   * @returns whether it is this process's turn
   */
  async takeTurn(task: string, everySeconds: number): Promise<boolean> {
    const rows = await this.database.query(
      `insert into housekeeping (task, done_at) values ($1, now())
       on conflict (task) do update set done_at = now()
        where housekeeping.done_at <= now() - make_interval(secs => $2)
           or housekeeping.done_at > now() + interval '1 minute'
       returning 1`,
      [task, everySeconds],
    );
    return rows.length > 0;
  }
}

interface DueSource {
  readonly sourceId: number;
  readonly hostKey: string;
}

/** A source, and how far ahead of now its slot lies. */
type Slot = DueSource & { readonly spaced: boolean; readonly waitMs: number };

/** A host under lock, and how far ahead of now its first free slot lies. */
interface LockedHost {
  readonly spaced: boolean;
  readonly firstMs: number;
  taken: number;
}

/**
 * Locks the hosts until the transaction ends: in one order everywhere, so that two processes never
 * wait for each other in a circle. A slot further ahead than slots are ever reserved was reserved
 * while the clock was wrong.
 */
async function lockHosts(
  tx: SqlRunner,
  due: readonly DueSource[],
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

function shareOutSlots(
  due: readonly DueSource[],
  hosts: Map<string, LockedHost>,
  { sources, perHost, held, gapMs, horizonMs }: ClaimLimits,
): { chosen: Slot[]; deferred: Slot[] } {
  const chosen: Slot[] = [];
  const deferred: Slot[] = [];
  const asked = new Map<string, number>();
  // Only then may sources of other hosts be out of sight behind those of a host with many.
  const crowded = due.length === sources + LOOK_AHEAD;
  for (const source of due) {
    const host = hosts.get(source.hostKey) ?? { spaced: true, firstMs: 0, taken: 0 };
    const place = asked.get(source.hostKey) ?? 0;
    asked.set(source.hostKey, place + 1);
    const waitMs = host.firstMs + (host.spaced ? place * gapMs : 0);
    const slot = { ...source, spaced: host.spaced, waitMs };
    if (waitMs > horizonMs || (place >= perHost && (host.spaced || crowded))) {
      deferred.push({ ...slot, waitMs: Math.max(waitMs, gapMs) });
    } else if (chosen.length < sources && place + (held.get(source.hostKey) ?? 0) < perHost) {
      host.taken += 1;
      chosen.push(slot);
    }
  }
  return { chosen, deferred };
}

async function takeLeases(tx: SqlRunner, chosen: readonly Slot[]): Promise<Lease[]> {
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

async function reserveSlots(
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

async function postpone(tx: SqlRunner, deferred: readonly Slot[]): Promise<void> {
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
