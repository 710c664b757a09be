import type { SqlRunner } from '../../../database/database.js';
import { FOLLOWERS_WANT, PUBLISHER_WANTS } from './next-update.js';

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
