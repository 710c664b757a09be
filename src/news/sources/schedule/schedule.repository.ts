import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import type { FailedDownload } from '../fetch/download-feed.js';
import {
  isAnySourceDue,
  lockDueSources,
  lockHosts,
  lockUnleasedSources,
  postpone,
  reserveSlots,
  returnLeases,
  takeLease,
  takeLeases,
  type DueSource,
  type Lease,
  type LockedHost,
  type Slot,
} from './claim.sql.js';
import {
  bringForward,
  makeDue,
  pauseHost,
  resetFarDueDates,
  restartFutureWaits,
  scheduleState,
  setSpacing,
  type ScheduleState,
} from './schedule.sql.js';
import { findSources } from '../sources.sql.js';

export interface ClaimLimits {
  /** Most sources to claim. */
  readonly sources: number;
  /** Most leases of one host, including those held. */
  readonly perHost: number;
  /** The same for hosts without gaps between requests; default `perHost`. */
  readonly perUnspacedHost?: number;
  /** Leases that the caller holds already. */
  readonly held: Iterable<Lease>;
  /** Gap between requests to one host, for all processes together. */
  readonly gapMs: number;
  /** Slots that begin later than this are not reserved. */
  readonly horizonMs: number;
}

export interface Claim {
  readonly leases: readonly Lease[];
  /**
   * Due sources that were not claimed: none; some for which there will be room when leases have ended;
   * or others than those that were looked at, for which there may be room now.
   */
  readonly left: 'none' | 'later' | 'unseen';
}

/** Of an answer, as far as it says something about the whole host. */
type HostAnswer = Pick<FailedDownload, 'status' | 'redirects' | 'allowListed'> &
  Partial<Pick<FailedDownload, 'retryAfterSeconds'>>;

/** Pause of a host that answers 429 without Retry-After. */
const RATE_LIMITED_SECONDS = 300;

/** A request that is not for a feed. */
const ONE_REQUEST = { sources: 1, perHost: 1, held: [], gapMs: 1000, horizonMs: 30_000 };

/** Due sources that are read beyond those wanted, because hosts without a free slot may be first. */
const LOOK_AHEAD = 200;

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
    return isAnySourceDue(this.database);
  }

  /**
   * Leases due sources and reserves a slot of the host for each, so that all processes together send
   * a host one request per `gapMs`. Sources whose host has no slot within the horizon become due at
   * the time of one, and so do not hold up other hosts. Hosts without gaps of which the caller holds
   * enough leases are left out.
   */
  async claimDue(limits: ClaimLimits): Promise<Claim> {
    return this.database.transaction(async (tx) => {
      const seen = limits.sources + LOOK_AHEAD;
      const full = fullHosts(limits);
      const due = await lockDueSources(tx, seen, full);
      if (due.length === 0) {
        return { leases: [], left: full.length > 0 ? 'later' : 'none' };
      }
      const hosts = await lockHosts(tx, due);
      const { chosen, deferred } = assignSlots(due, hosts, limits);
      const leases = await withSources(tx, await takeLeases(tx, chosen));
      await reserveSlots(tx, hosts, limits.gapMs);
      await postpone(tx, deferred);
      const served = leases.length + deferred.length;
      if (due.length === seen && leases.length < limits.sources && served > 0) {
        return { leases, left: 'unseen' };
      }
      return { leases, left: served < due.length || full.length > 0 ? 'later' : 'none' };
    });
  }

  /**
   * Leases those of these sources that are not being fetched, due or not, if their host has a slot
   * within the horizon. The others stay as they are.
   */
  async claimWanted(sourceIds: readonly number[], limits: ClaimLimits): Promise<readonly Lease[]> {
    return this.database.transaction(async (tx) => {
      const wanted = await lockUnleasedSources(tx, sourceIds);
      if (wanted.length === 0) {
        return [];
      }
      const hosts = await lockHosts(tx, wanted);
      const { chosen } = assignSlots(wanted, hosts, limits);
      const leases = await withSources(tx, await takeLeases(tx, chosen));
      await reserveSlots(tx, hosts, limits.gapMs);
      return leases;
    });
  }

  /** Reserves a host's next slot for one request. @returns null if it is far ahead, as in a pause */
  async takeSlot(hostKey: string): Promise<Slot | null> {
    const [free] = await this.database.query(
      `select 1 from host_state
        where host_key = $1 and unspaced and coalesce(not_before <= now(), true)`,
      [hostKey],
    );
    if (free !== undefined) {
      return { sourceId: 0, hostKey, spaced: false, waitMs: 0 };
    }
    return this.database.transaction(async (tx) => {
      const hosts = await lockHosts(tx, [{ hostKey }]);
      const { chosen } = assignSlots([{ sourceId: 0, hostKey }], hosts, ONE_REQUEST);
      await reserveSlots(tx, hosts, ONE_REQUEST.gapMs);
      return chosen[0] ?? null;
    });
  }

  /**
   * Writes what applies to all requests to the host: spacing, and the pause that it asks for.
   *
   * @returns whether it asks for fewer requests
   */
  async noteAnswer(
    { hostKey, spaced }: Pick<Slot, 'hostKey' | 'spaced'>,
    { status, redirects, allowListed, retryAfterSeconds }: HostAnswer,
  ): Promise<boolean> {
    if (status !== null && redirects.length === 0 && spaced === allowListed) {
      await this.setSpacing(hostKey, !allowListed);
    }
    if (status === 429 && !allowListed) {
      await this.pauseHost(hostKey, retryAfterSeconds ?? RATE_LIMITED_SECONDS);
    }
    return status === 429;
  }

  /** Leases one source at once, due or not. Ends the lease of any other process. */
  async claim(sourceId: number): Promise<Lease | null> {
    return takeLease(this.database, sourceId);
  }

  /** Returns leases that were not used; their sources are due after `seconds`. */
  async release(leases: readonly Lease[], seconds = 0): Promise<void> {
    await returnLeases(this.database, leases, seconds);
  }

  /** A changed source is due, `restSeconds` after its last fetch at the earliest. */
  async makeDue(sourceId: number, restSeconds: number): Promise<void> {
    await makeDue(this.database, sourceId, restSeconds);
  }

  /** Makes sources due within the next `seconds`, spread at random; leased ones stay as they are. */
  async bringForward(sourceIds: readonly number[], seconds: number): Promise<void> {
    await bringForward(this.database, sourceIds, seconds);
  }

  /**
   * Corrects dates that were set while the clock was ahead: waits start again now, and dates beyond
   * any rule are reset.
   *
   * @returns the number of schedules that were corrected
   */
  async resetImplausibleDates(): Promise<number> {
    const restarted = await restartFutureWaits(this.database);
    return restarted + (await resetFarDueDates(this.database));
  }

  /**
   * Records whether a host needs a gap between requests; allow-listed ones do not. Then its sources
   * that were postponed before their first fetch are due.
   */
  async setSpacing(hostKey: string, spaced: boolean): Promise<void> {
    await setSpacing(this.database, hostKey, spaced);
  }

  /** Sends the host no requests for a while, as it asked. */
  async pauseHost(hostKey: string, seconds: number): Promise<void> {
    await pauseHost(this.database, hostKey, seconds);
  }

  async stateOf(sourceId: number): Promise<ScheduleState | null> {
    return scheduleState(this.database, sourceId);
  }
}

async function withSources(tx: SqlRunner, leases: readonly Lease[]): Promise<Lease[]> {
  if (leases.length === 0) {
    return [];
  }
  const sources = await findSources(
    tx,
    leases.map(({ sourceId }) => sourceId),
  );
  const sourceOf = new Map(sources.map((source) => [source.id, source]));
  return leases.map((lease) => ({ ...lease, source: sourceOf.get(lease.sourceId) }));
}

/** Gives each source the next slot of its host, and decides which to lease and which to postpone. */
function assignSlots(
  due: readonly DueSource[],
  hosts: Map<string, LockedHost>,
  { sources, perHost, perUnspacedHost = perHost, held, gapMs, horizonMs }: ClaimLimits,
): { chosen: Slot[]; deferred: Slot[] } {
  const heldOf = countByHost(held);
  const chosen: Slot[] = [];
  const deferred: Slot[] = [];
  const placeOf = new Map<string, number>();
  for (const source of due) {
    const host = hosts.get(source.hostKey) ?? { spaced: true, firstMs: 0, taken: 0 };
    const place = placeOf.get(source.hostKey) ?? 0;
    placeOf.set(source.hostKey, place + 1);
    const waitMs = host.firstMs + (host.spaced ? place * gapMs : 0);
    const slot = { ...source, spaced: host.spaced, waitMs };
    const most = host.spaced ? perHost : perUnspacedHost;
    if (waitMs > horizonMs || (place >= most && host.spaced)) {
      deferred.push({ ...slot, waitMs: Math.max(waitMs, gapMs) });
    } else if (chosen.length < sources && place + (heldOf.get(source.hostKey) ?? 0) < most) {
      host.taken += 1;
      chosen.push(slot);
    }
  }
  return { chosen, deferred };
}

/** Hosts without gaps of which enough leases are held; their due sources would hide others. */
function fullHosts({ perHost, perUnspacedHost = perHost, held }: ClaimLimits): string[] {
  const unspaced = [...held].filter(({ spaced }) => !spaced);
  return [...countByHost(unspaced)].flatMap(([hostKey, count]) =>
    count < perUnspacedHost ? [] : [hostKey],
  );
}

function countByHost(leases: Iterable<Lease>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { hostKey } of leases) {
    counts.set(hostKey, (counts.get(hostKey) ?? 0) + 1);
  }
  return counts;
}
