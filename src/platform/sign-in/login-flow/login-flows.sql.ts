import type { SqlRunner } from '../../../database/database.js';
import type { LoginFlowEntity } from './login-flow.entity.js';

/** Logins in progress: of one network, and in total. */
export interface FlowCounts {
  readonly ofNetwork: number;
  readonly total: number;
}

/** Reads the whole table, which the service keeps below 10,000 rows. */
export async function countFlows(
  runner: SqlRunner,
  network: string,
  now: Date,
): Promise<FlowCounts> {
  const [row] = await runner.query<FlowCounts>(
    `select count(*)::int as total, count(*) filter (where network = $1)::int as "ofNetwork"
       from login_flow where expires_at > $2`,
    [network, now],
  );
  return row ?? { ofNetwork: 0, total: 0 };
}

/** Removes a granted flow and returns it, unless its account was disabled; by `poll_token_hash`. */
export async function takeGranted(
  runner: SqlRunner,
  pollTokenHash: Buffer,
  now: Date,
): Promise<Pick<LoginFlowEntity, 'userId' | 'sealedAppPassword'> | undefined> {
  const [row] = await runner.query<Pick<LoginFlowEntity, 'userId' | 'sealedAppPassword'>>(
    `delete from login_flow f using account a
     where f.poll_token_hash = $1 and f.expires_at > $2
       and a.user_id = f.user_id and a.disabled_at is null
     returning f.user_id as "userId", f.sealed_app_password as "sealedAppPassword"`,
    [pollTokenHash, now],
  );
  return row;
}

/** Removes expired flows and the app passwords of those that no program fetched. */
export async function removeExpiredFlows(runner: SqlRunner, now: Date): Promise<void> {
  await runner.query(
    `with expired as (delete from login_flow where expires_at <= $1 returning app_password_id)
     delete from app_password where id in (select app_password_id from expired)`,
    [now],
  );
}

/** Removes the oldest undecided flows. Reads the whole table. */
export async function removeOldestFlows(runner: SqlRunner, count: number): Promise<void> {
  await runner.query(
    `delete from login_flow where poll_token_hash in (
       select poll_token_hash from login_flow where user_id is null order by expires_at limit $1)`,
    [count],
  );
}
