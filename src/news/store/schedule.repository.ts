import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';

/** Permission to fetch a source and to write down what came of it, until somebody else gets it. */
export interface Lease {
  readonly sourceId: number;
  readonly token: string;
  readonly hostKey: string;
  /** How long to wait first, so that the host is not called more often than it should be. */
  readonly waitMs: number;
}

/**
 * Longer than any fetch may take, reading included. A process that dies holding a lease delays the
 * source by no more than this.
 */
export const LEASE_SECONDS = 90;

/**
 * When each source is due. The due date is state and lives in a row: a lease moves it ahead, so
 * there is nothing to reconcile after a crash, and any number of processes can share the work.
 */
@Injectable()
export class ScheduleRepository {
  constructor(private readonly database: Database) {}

  /**
   * Takes up to `limit` due sources, at most `perHost` of the same host, and gives each a slot so
   * that one host is called at most once in `gapMs` by all processes together. A source whose slot
   * lies beyond the lease stays due at its slot.
   */
  async claimDue(limit: number, perHost: number, gapMs: number): Promise<Lease[]> {
    return this.database.transaction(async (tx) => {
      const claimed = await tx.query<{ sourceId: number; token: string; hostKey: string }>(
        `with due as (
           select source_id, host_key, due_at from source_schedule
            where due_at <= now()
              and exists (select from subscription where subscription.source_id = source_schedule.source_id)
            order by due_at limit $1 * 3 for update skip locked
         ), chosen as (
           select source_id from (
             select source_id, due_at, row_number() over (partition by host_key order by due_at) as place
               from due) ranked
            where place <= $2 order by due_at limit $1
         )
         update source_schedule
            set due_at = now() + make_interval(secs => ${LEASE_SECONDS}), lease_token = gen_random_uuid()
           from chosen where source_schedule.source_id = chosen.source_id
         returning source_schedule.source_id as "sourceId", lease_token as token, host_key as "hostKey"`,
        [limit, perHost],
      );
      const waits = await reserveSlots(
        tx,
        claimed.map(({ hostKey }) => hostKey),
        gapMs,
      );
      const leases = claimed.map((claim) => ({ ...claim, waitMs: waits.next(claim.hostKey) }));
      const tooLate = leases.filter(({ waitMs }) => waitMs > (LEASE_SECONDS * 1000) / 2);
      for (const lease of tooLate) {
        await tx.query(
          `update source_schedule
              set due_at = now() + make_interval(secs => $2), lease_token = null
            where source_id = $1`,
          [lease.sourceId, lease.waitMs / 1000],
        );
      }
      return leases.filter((lease) => !tooLate.includes(lease));
    });
  }

  /** Takes one source at once, whether due or not, away from anybody who may hold it. */
  async claim(sourceId: number): Promise<Lease | null> {
    const [lease] = await this.database.query<Lease>(
      `update source_schedule
          set due_at = now() + make_interval(secs => ${LEASE_SECONDS}), lease_token = gen_random_uuid()
        where source_id = $1
       returning source_id as "sourceId", lease_token as token, host_key as "hostKey", 0 as "waitMs"`,
      [sourceId],
    );
    return lease ?? null;
  }

  /** Gives back leases that were not used; their sources are due at once. */
  async release(leases: readonly Lease[]): Promise<void> {
    await this.database.query(
      `update source_schedule set due_at = now(), lease_token = null
         from unnest($1::bigint[], $2::uuid[]) as unused (source_id, token)
        where source_schedule.source_id = unused.source_id and lease_token = unused.token`,
      [leases.map((l) => l.sourceId), leases.map((l) => l.token)],
    );
  }

  /** Allow-listed hosts of one's own network need no distance between calls. */
  async forgetSpacing(hostKey: string): Promise<void> {
    await this.database.query(
      `insert into host_state (host_key, next_slot_at, unspaced) values ($1, now(), true)
       on conflict (host_key) do update set unspaced = true where not host_state.unspaced`,
      [hostKey],
    );
  }

  /** The host asked not to be called for a while. */
  async pauseHost(hostKey: string, seconds: number): Promise<void> {
    await this.database.query(
      `insert into host_state (host_key, next_slot_at, not_before)
       values ($1, now(), now() + make_interval(secs => $2))
       on conflict (host_key) do update
          set not_before = greatest(host_state.not_before, excluded.not_before)`,
      [hostKey, seconds],
    );
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
       returning 1`,
      [task, everySeconds],
    );
    return rows.length > 0;
  }
}

/** Advances each host's next slot once for the whole batch and shares the slots out. */
async function reserveSlots(
  tx: SqlRunner,
  hostKeys: readonly string[],
  gapMs: number,
): Promise<{ next(hostKey: string): number }> {
  const counts = new Map<string, number>();
  for (const hostKey of hostKeys) {
    counts.set(hostKey, (counts.get(hostKey) ?? 0) + 1);
  }
  // Hosts in one order everywhere, so that two processes never wait for each other in a circle.
  const hosts = [...counts.keys()].sort();
  const rows = await tx.query<{ hostKey: string; firstMs: number; gapMs: number }>(
    `insert into host_state as host (host_key, next_slot_at)
     select wanted.host_key, now() + wanted.calls * make_interval(secs => $3::float8 / 1000)
       from unnest($1::text[], $2::int[]) as wanted (host_key, calls) order by wanted.host_key
     on conflict (host_key) do update
        set next_slot_at = case when host.unspaced then greatest(now(), host.not_before)
              else greatest(host.next_slot_at, host.not_before, now()) + (excluded.next_slot_at - now()) end,
            previous_slot_at = greatest(case when host.unspaced then now() else host.next_slot_at end,
                                        host.not_before, now())
     returning host_key as "hostKey",
               (extract(epoch from coalesce(previous_slot_at, now()) - now()) * 1000)::int as "firstMs",
               case when unspaced then 0 else $3::int end as "gapMs"`,
    [hosts, hosts.map((host) => counts.get(host)), gapMs],
  );
  const slots = new Map(
    rows.map((row) => [row.hostKey, { nextMs: row.firstMs, gapMs: row.gapMs }]),
  );
  return {
    next(hostKey) {
      const slot = slots.get(hostKey);
      if (slot === undefined) {
        return 0;
      }
      const waitMs = Math.max(0, slot.nextMs);
      slot.nextMs += slot.gapMs;
      return waitMs;
    },
  };
}
