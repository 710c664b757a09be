import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { SourceScheduleEntity } from '../../tables/source.entity.js';
import type { FailedDownload } from '../fetch/download-feed.js';
import { SOURCE_COLUMNS, SOURCE_TABLES } from '../sources.sql.js';
import { FetchShares, type OpenShares, type SharesOfFetches } from './fetch-shares.js';
import {
  LEASE_SECONDS,
  laneOf,
  leaseOf,
  lockUnleasedSources,
  LONGEST_WAIT_SECONDS,
  reserveSlots,
  SELECT_DUE,
  takeLeases,
  TAKEN_LEASE,
  takingLease,
  type DueSource,
  type Lease,
  type LeasedSource,
  type Slot,
} from './schedule.sql.js';

const SCHEDULE_ROW = selectList(SourceScheduleEntity, 'schedule', ['hostKey']);

/** The schedule of one source. Times are unix seconds. */
type ScheduleState = RowOf<typeof SCHEDULE_ROW> & {
  readonly dueAtSeconds: number;
  readonly leased: boolean;
  /** No requests to the host before this time; null if there is no pause. */
  readonly hostPausedUntilSeconds: number | null;
  readonly spaced: boolean;
};

export interface ClaimLimits {
  /** Most sources to claim. */
  readonly sources: number;
  /** Maximum leases of one host, including current ones. */
  readonly perHost: number;
  /** Limit for hosts without gaps between requests; default `perHost`. */
  readonly perUnspacedHost?: number;
  /** Leases that the caller holds already. */
  readonly held: Iterable<Lease>;
  /** Gap between requests to one host, for all processes together. */
  readonly gapMs: number;
  /** Slots that begin later than this are not reserved. */
  readonly horizonMs: number;
  /** Default: all may be of one lane and one follower. */
  readonly shares?: SharesOfFetches;
}

export interface Claim {
  readonly leases: readonly Lease[];
  /**
   * Due sources that were not claimed: none; some that must wait for leases to end; or some that were not
   * looked at, which may be claimable now.
   */
  readonly left: 'none' | 'later' | 'unseen';
}

/** The parts of an answer that say something about the whole host. */
type HostAnswer = Pick<FailedDownload, 'status' | 'redirects' | 'allowListed'> &
  Partial<Pick<FailedDownload, 'retryAfterSeconds'>>;

/** Pause of a host that answers 429 without Retry-After. */
const RATE_LIMITED_SECONDS = 300;

/** Of requests that are not for feeds: the gap between two, and how far ahead a slot may be. */
const GAP_MS = 1000;
const LONGEST_DELAY_MS = 30_000;

/** Due sources that are read additionally, because hosts without a free slot may be first. */
const LOOK_AHEAD = 200;

/** Clocks of database servers differ by this much after a fail-over without being wrong. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** Uses source_schedule_due_at_index. */
const IS_DUE = `due_at <= now()
        and exists (select 1 from follower where follower.source_id = source_schedule.source_id)`;

/** SQL of whether a follower of the source is none of these. */
const followedByOthers = (readers: '$4' | '$5'): string =>
  `exists (select 1 from follower where follower.source_id = source_schedule.source_id
                           and reader_id <> all(${readers}::bigint[]))`;

/** Reads the latest attempts and the followers of all due sources before the first that are open. */
const IS_OPEN = `and ${followedByOthers('$4')}
            and case ${laneOf('source_schedule.source_id')} when 'quick' then true
                when 'held' then 'held' = any($3::text[]) and ${followedByOthers('$5')}
                else 'slow' = any($3::text[]) and ${followedByOthers('$5')} end`;

const IS_ANY_DUE = prepared(
  'is-any-due',
  `select exists (select 1 from source_schedule where ${IS_DUE}) as "isDue"`,
);

/**
 * When each source is due. A lease moves the due date ahead, so that nothing has to be reconciled
 * after a crash and any number of processes share the work. All times are the database's, so that
 * the clocks of the processes do not matter.
 *
 * @see docs/decisions/0005-the-schedule-is-a-row.md
 */
@Injectable()
export class ScheduleRepository {
  constructor(private readonly database: Database) {}

  /** Whether a source with followers is due. */
  async isAnyDue(): Promise<boolean> {
    const [row] = await this.database.query<{ isDue: boolean }>(IS_ANY_DUE);
    return row?.isDue ?? false;
  }

  /**
   * Leases due sources and reserves a slot of the host for each, so that all processes together send a host
   * one request per `gapMs`. Sources whose host has no slot within the horizon become due at the time of
   * one, and so do not hold up other hosts. Skips hosts without gaps, lanes and followers of which the caller
   * holds enough leases.
   */
  async claimDue(limits: ClaimLimits): Promise<Claim> {
    return this.database.transaction(async (tx) => {
      const seen = limits.sources + LOOK_AHEAD;
      const full = fullHosts(limits);
      const shares = limits.shares && new FetchShares(limits.shares, limits.held);
      const open = shares?.open ?? null;
      const isPart = full.length > 0 || open !== null;
      const due = await tx.query<DueSource>(
        `${SELECT_DUE}
          where ${IS_DUE} and source_schedule.host_key <> all($2::text[]) ${open === null ? '' : IS_OPEN}
          order by due_at limit $1 for update of source_schedule skip locked`,
        [seen, full, ...openParams(open)],
      );
      if (due.length === 0) {
        return { leases: [], left: isPart ? 'later' : 'none' };
      }
      const { chosen, deferred } = assignSlots(due, limits);
      const leases = await takeLeases(tx, await withSlots(chosen, limits, tx), shares);
      if (deferred.length > 0) {
        await tx.query(
          `update source_schedule
              set due_at = now() + make_interval(secs => later.wait_ms / 1000.0), set_at = now(),
                  lease_token = null
             from unnest($1::bigint[], $2::int[]) as later (source_id, wait_ms)
            where source_schedule.source_id = later.source_id`,
          [deferred.map(({ sourceId }) => sourceId), deferred.map(({ waitMs }) => waitMs)],
        );
      }
      const served = leases.length + deferred.length;
      const hasMore = due.length === seen && leases.length < limits.sources && served > 0;
      // Those without a share or a slot are left out by the next claim, which sees others in their place.
      if (hasMore || leases.length < chosen.length) {
        return { leases, left: 'unseen' };
      }
      return { leases, left: served < due.length || isPart ? 'later' : 'none' };
    });
  }

  /**
   * Leases the sources that are not being fetched, due or not, if their host has a slot within the horizon.
   * The others are unchanged.
   */
  async claimWanted(sourceIds: readonly number[], limits: ClaimLimits): Promise<readonly Lease[]> {
    return this.database.transaction(async (tx) => {
      const wanted = await lockUnleasedSources(sourceIds, tx);
      if (wanted.length === 0) {
        return [];
      }
      const { chosen } = assignSlots(wanted, limits);
      return takeLeases(tx, await withSlots(chosen, limits, tx));
    });
  }

  /** Reserves a host's next slot for one request. @returns null if it is far ahead, as in a pause */
  async takeSlot(hostKey: string): Promise<Slot | null> {
    const wanted = new Map([[hostKey, 1]]);
    const slots = await reserveSlots(wanted, GAP_MS, LONGEST_DELAY_MS, this.database);
    const host = slots.get(hostKey);
    return host === undefined
      ? null
      : { sourceId: 0, hostKey, spaced: host.spaced, waitMs: host.firstMs };
  }

  /** Stores the host's spacing and requested pause. @returns whether it asks for fewer requests */
  async noteAnswer(
    { hostKey, spaced }: Pick<Slot, 'hostKey' | 'spaced'>,
    { status, redirects, allowListed, retryAfterSeconds }: HostAnswer,
  ): Promise<boolean> {
    if (status !== null && redirects.length === 0 && spaced === allowListed) {
      await this.setSpacing(hostKey, !allowListed);
    }
    if (status === 429 && !allowListed) {
      await this.pauseHost(hostKey, retryAfterSeconds);
    }
    return status === 429;
  }

  /** Leases one source at once, due or not. Ends the lease of any other process. */
  async claim(sourceId: number): Promise<Lease | null> {
    const [row] = await this.database.query<LeasedSource>(
      `with leased as (
         update source_schedule set ${takingLease()} where source_id = $1 returning ${TAKEN_LEASE}
       )
       select token, "hostKey", spaced, ${SOURCE_COLUMNS}
         from ${SOURCE_TABLES} join leased on leased.source_id = source.id`,
      [sourceId],
    );
    return row === undefined ? null : leaseOf(row);
  }

  /** Returns leases that were not used; their sources are due after `seconds`. */
  async release(leases: readonly Lease[], seconds = 0): Promise<void> {
    await this.database.query(
      `update source_schedule
          set due_at = now() + make_interval(secs => $3), set_at = now(), lease_token = null
         from unnest($1::bigint[], $2::uuid[]) as unused (source_id, token)
        where source_schedule.source_id = unused.source_id and lease_token = unused.token`,
      [leases.map((l) => l.sourceId), leases.map((l) => l.token), seconds],
    );
  }

  /** Makes a changed source due `restSeconds` after its last fetch, or right after its running fetch. */
  async makeDue(sourceId: number, restSeconds: number): Promise<void> {
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

  /** Makes sources due at random times within `seconds`, if that is earlier and they are not leased. */
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
   * Corrects dates that were set while the clock was ahead: waits and pauses of hosts that begin in the
   * future start again now, and sources are due soon whose due date is later than any rule sets it.
   *
   * @returns how many were corrected
   */
  async resetImplausibleDates(): Promise<number> {
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
    const far = await this.database.query(
      `update source_schedule
          set due_at = now() + make_interval(secs => random() * ${LEASE_SECONDS}), set_at = now(),
              lease_token = null
        where due_at > now() + make_interval(secs => ${LONGEST_WAIT_SECONDS})
           or (lease_token is not null and due_at > now() + make_interval(secs => ${2 * LEASE_SECONDS}))
       returning 1`,
    );
    return sources.length + hosts.length + far.length;
  }

  /**
   * Records whether a host needs a gap between requests; allow-listed ones do not. Writes only when the
   * value changes. A new host counts as spaced: when it turns out not to be, its sources that were
   * postponed before their first fetch are due at once. Scans the schedule then; skips rows that a claim
   * has locked, since it waits for the host.
   */
  async setSpacing(hostKey: string, spaced: boolean): Promise<void> {
    await this.database.query(
      `with changed as (
         insert into host_state (host_key, next_slot_at, unspaced) values ($1, now(), $2)
         on conflict (host_key) do update set unspaced = excluded.unspaced
          where host_state.unspaced <> excluded.unspaced
         returning host_key
       ), postponed as (
         select source_id from source_schedule
          where $2 and host_key in (select host_key from changed)
            and lease_token is null and due_at > now()
            and exists (select 1 from source where source.id = source_id and fetched_at is null)
            for update skip locked
       )
       update source_schedule set due_at = now(), set_at = now()
         from postponed where source_schedule.source_id = postponed.source_id`,
      [hostKey, !spaced],
    );
  }

  /** Pauses requests to the host, as it asked. Never shortens an earlier pause. */
  async pauseHost(hostKey: string, seconds: number | null | undefined): Promise<void> {
    await this.database.query(
      `insert into host_state (host_key, next_slot_at, not_before, not_before_set_at)
       values ($1, now(), now() + make_interval(secs => $2), now())
       on conflict (host_key) do update
          set not_before = greatest(host_state.not_before, excluded.not_before),
              not_before_set_at = case when host_state.not_before > excluded.not_before
                                       then host_state.not_before_set_at else now() end`,
      [hostKey, seconds ?? RATE_LIMITED_SECONDS],
    );
  }

  async stateOf(sourceId: number): Promise<ScheduleState | null> {
    const [state] = await this.database.query<ScheduleState>(
      `select ${SCHEDULE_ROW}, extract(epoch from due_at)::bigint as "dueAtSeconds",
              lease_token is not null and due_at > now() as leased,
              case when not_before > now() then extract(epoch from not_before)::bigint end
                as "hostPausedUntilSeconds",
              not coalesce(unspaced, false) as spaced
         from source_schedule schedule left join host_state host on host.host_key = schedule.host_key
        where source_id = $1`,
      [sourceId],
    );
    return state ?? null;
  }
}

function openParams(open: OpenShares | null): unknown[] {
  return open === null ? [] : [open.lanes, open.full, open.crowded];
}

/** Gives each source the next slot of its host, and decides which to lease and which to postpone. */
function assignSlots(
  due: readonly DueSource[],
  { sources, perHost, perUnspacedHost = perHost, held, gapMs, horizonMs }: ClaimLimits,
): { chosen: Slot[]; deferred: Slot[] } {
  const heldOf = countByHost(held);
  const chosen: Slot[] = [];
  const deferred: Slot[] = [];
  const placeOf = new Map<string, number>();
  for (const { firstMs, ...source } of due) {
    const { hostKey, spaced } = source;
    const place = placeOf.get(hostKey) ?? 0;
    placeOf.set(hostKey, place + 1);
    const waitMs = firstMs + (spaced ? place * gapMs : 0);
    const most = spaced ? perHost : perUnspacedHost;
    if (waitMs > horizonMs || (place >= most && spaced)) {
      deferred.push({ ...source, waitMs: Math.max(waitMs, gapMs) });
    } else if (chosen.length < sources && place + (heldOf.get(hostKey) ?? 0) < most) {
      chosen.push({ ...source, waitMs });
    }
  }
  return { chosen, deferred };
}

/** Reserves the slots of a claim. @returns those within the horizon; other processes may have taken some meanwhile */
async function withSlots(
  chosen: readonly Slot[],
  { gapMs, horizonMs }: ClaimLimits,
  tx: SqlRunner,
): Promise<Slot[]> {
  const spaced = chosen.filter((slot) => slot.spaced);
  const hosts = await reserveSlots(countByHost(spaced), gapMs, horizonMs, tx);
  const nextOf = new Map([...hosts].map(([hostKey, { firstMs }]) => [hostKey, firstMs]));
  return chosen.flatMap((slot) => {
    if (!slot.spaced) {
      return slot;
    }
    const waitMs = nextOf.get(slot.hostKey) ?? Infinity;
    nextOf.set(slot.hostKey, waitMs + gapMs);
    return waitMs > horizonMs ? [] : { ...slot, waitMs };
  });
}

/** Hosts without gaps of which enough leases are held; their due sources would hide others. */
function fullHosts({ perHost, perUnspacedHost = perHost, held }: ClaimLimits): string[] {
  const unspaced = [...held].filter(({ spaced }) => !spaced);
  return [...countByHost(unspaced)].flatMap(([hostKey, count]) =>
    count < perUnspacedHost ? [] : [hostKey],
  );
}

function countByHost(leases: Iterable<Pick<Slot, 'hostKey'>>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { hostKey } of leases) {
    counts.set(hostKey, (counts.get(hostKey) ?? 0) + 1);
  }
  return counts;
}
