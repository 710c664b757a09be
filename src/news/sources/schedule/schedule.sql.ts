import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { FOLLOWERS_WANT, PUBLISHER_WANTS } from './next-update.js';
import { LEASE_SECONDS, LONGEST_WAIT_SECONDS } from './claim.sql.js';
import { SourceScheduleEntity } from './source-schedule.entity.js';

const SCHEDULE_ROW = selectList(SourceScheduleEntity, 'schedule', ['hostKey']);

/** The schedule of one source. Times are unix seconds. */
export type ScheduleState = RowOf<typeof SCHEDULE_ROW> & {
  readonly dueAtSeconds: number;
  readonly leased: boolean;
  /** No requests to the host before this time; null if there is no pause. */
  readonly hostPausedUntilSeconds: number | null;
  readonly spaced: boolean;
};

/** Clocks of database servers differ by this much after a fail-over without being wrong. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** Makes a source due `restSeconds` after its last fetch, or right after its running fetch. */
export async function makeDue(
  runner: SqlRunner,
  sourceId: number,
  restSeconds: number,
): Promise<void> {
  await runner.query(
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
export async function bringForward(
  runner: SqlRunner,
  sourceIds: readonly number[],
  seconds: number,
): Promise<void> {
  await runner.query(
    `update source_schedule
        set due_at = sooner.at, set_at = now()
       from (select id, now() + make_interval(secs => random() * $2) as at
               from unnest($1::bigint[]) as wanted (id)) sooner
      where source_id = sooner.id and lease_token is null and sooner.at < due_at`,
    [sourceIds, seconds],
  );
}

/**
 * Makes sources due within `seconds` after their last fetch if only the wish of a follower lets them
 * wait for longer: not those that fail, or whose publisher asks for the wait. Leaves out those that are
 * locked or leased, since they are being fetched.
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
                        and exists (select from follower
                                     where follower.source_id = source.id
                                       and fetch_every_hours is not null))
                for no key update of schedule skip locked) sooner
      where source_id = sooner.id and sooner.at < due_at`,
    [sourceIds, seconds],
  );
}

/** Restarts waits that begin in the future by the current clock, and pauses of hosts. @returns how many */
export async function restartFutureWaits(runner: SqlRunner): Promise<number> {
  const sources = await runner.query(
    `update source_schedule
        set due_at = now() + least(due_at - set_at, make_interval(secs => ${LONGEST_WAIT_SECONDS})),
            set_at = now()
      where set_at > now() + make_interval(secs => ${CLOCK_TOLERANCE_SECONDS})
     returning 1`,
  );
  const hosts = await runner.query(
    `update host_state
        set not_before = now() + (not_before - not_before_set_at), not_before_set_at = now()
      where not_before_set_at > now() + make_interval(secs => ${CLOCK_TOLERANCE_SECONDS})
     returning 1`,
  );
  return sources.length + hosts.length;
}

/** Makes sources due soon whose due date is later than any rule sets it. @returns how many */
export async function resetFarDueDates(runner: SqlRunner): Promise<number> {
  const sources = await runner.query(
    `update source_schedule
        set due_at = now() + make_interval(secs => random() * ${LEASE_SECONDS}), set_at = now(),
            lease_token = null
      where due_at > now() + make_interval(secs => ${LONGEST_WAIT_SECONDS})
         or (lease_token is not null and due_at > now() + make_interval(secs => ${2 * LEASE_SECONDS}))
     returning 1`,
  );
  return sources.length;
}

/**
 * Writes only when the value changes. A new host counts as spaced: when it turns out not to be, its
 * sources that were postponed before their first fetch are due at once. Scans the schedule then; rows
 * that a claim has locked are left out, since it waits for the host.
 */
export async function setSpacing(
  runner: SqlRunner,
  hostKey: string,
  spaced: boolean,
): Promise<void> {
  await runner.query(
    `with changed as (
       insert into host_state (host_key, next_slot_at, unspaced) values ($1, now(), $2)
       on conflict (host_key) do update set unspaced = excluded.unspaced
        where host_state.unspaced <> excluded.unspaced
       returning host_key
     ), postponed as (
       select source_id from source_schedule
        where $2 and host_key in (select host_key from changed)
          and lease_token is null and due_at > now()
          and exists (select from source where source.id = source_id and fetched_at is null)
          for update skip locked
     )
     update source_schedule set due_at = now(), set_at = now()
       from postponed where source_schedule.source_id = postponed.source_id`,
    [hostKey, !spaced],
  );
}

/** Never shortens an earlier pause. */
export async function pauseHost(
  runner: SqlRunner,
  hostKey: string,
  seconds: number,
): Promise<void> {
  await runner.query(
    `insert into host_state (host_key, next_slot_at, not_before, not_before_set_at)
     values ($1, now(), now() + make_interval(secs => $2), now())
     on conflict (host_key) do update
        set not_before = greatest(host_state.not_before, excluded.not_before),
            not_before_set_at = case when host_state.not_before > excluded.not_before
                                     then host_state.not_before_set_at else now() end`,
    [hostKey, seconds],
  );
}

export async function scheduleState(
  runner: SqlRunner,
  sourceId: number,
): Promise<ScheduleState | null> {
  const [state] = await runner.query<ScheduleState>(
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
