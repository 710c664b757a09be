import type { SqlRunner } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import { WebsubLeaseEntity } from './websub-lease.entity.js';

const LEASE_ROW = selectList(WebsubLeaseEntity, 'lease', [
  'callbackId',
  'sourceId',
  'hubUrl',
  'topicUrl',
  'secretSealed',
  'state',
  'failures',
]);

/** A subscription at a hub. Times are unix seconds. */
export type WebSubLease = RowOf<typeof LEASE_ROW> & { readonly expiresSeconds: number | null };

/** The hub and topic that a document names, and what a subscription to them is made with. */
export interface NewWebSubLease {
  readonly callbackId: string;
  readonly sourceId: number;
  readonly hubUrl: string;
  readonly topicUrl: string;
  readonly secretSealed: Buffer;
}

const COLUMNS = `${LEASE_ROW}, extract(epoch from lease.expires_at)::bigint as "expiresSeconds"`;

/** By primary key. */
export async function leaseByCallback(
  runner: SqlRunner,
  callbackId: string,
): Promise<WebSubLease | null> {
  const [lease] = await runner.query<WebSubLease>(
    `select ${COLUMNS} from websub_lease lease where callback_id = $1`,
    [callbackId],
  );
  return lease ?? null;
}

/** By websub_lease_source_id_unique. */
export async function leaseOfSource(
  runner: SqlRunner,
  sourceId: number,
): Promise<WebSubLease | null> {
  const [lease] = await runner.query<WebSubLease>(
    `select ${COLUMNS} from websub_lease lease where source_id = $1`,
    [sourceId],
  );
  return lease ?? null;
}

/** Replaces the lease of the source if the hub or the topic is a different one. */
export async function wantLease(
  runner: SqlRunner,
  { callbackId, sourceId, hubUrl, topicUrl, secretSealed }: NewWebSubLease,
): Promise<void> {
  await runner.query(
    `insert into websub_lease as lease
            (callback_id, source_id, hub_url, topic_url, secret_sealed, state)
     values ($1, $2, $3, $4, $5, 'wanted')
     on conflict (source_id) do update
        set callback_id = excluded.callback_id, hub_url = excluded.hub_url,
            topic_url = excluded.topic_url, secret = null,
            secret_sealed = excluded.secret_sealed, state = 'wanted',
            expires_at = null, next_step_at = now(), failures = 0
      where (lease.hub_url, lease.topic_url) <> (excluded.hub_url, excluded.topic_url)`,
    [callbackId, sourceId, hubUrl, topicUrl, secretSealed],
  );
}

/**
 * Takes leases that are due for a step, each for one process: their next step moves ahead by
 * `seconds`. Those of sources without followers become `leaving`. By websub_lease_next_step_at_index.
 */
export async function takeDueLeases(
  runner: SqlRunner,
  limit: number,
  seconds: number,
): Promise<WebSubLease[]> {
  return runner.query<WebSubLease>(
    `update websub_lease lease
        set next_step_at = now() + make_interval(secs => $2),
            state = case when source_id is null
                           or not exists (select 1 from follower
                                           where follower.source_id = lease.source_id)
                      then 'leaving' else state end
      where callback_id in (select callback_id from websub_lease where next_step_at <= now()
                             order by next_step_at limit $1 for update skip locked)
     returning ${COLUMNS}`,
    [limit, seconds],
  );
}

/** A lease that is being renewed stays active. */
export async function setAsked(
  runner: SqlRunner,
  callbackId: string,
  verifyWithinSeconds: number,
): Promise<void> {
  await runner.query(
    `update websub_lease
        set state = case when state = 'wanted' or state = 'refused' then 'asked' else state end,
            failures = failures + 1, next_step_at = now() + make_interval(secs => $2)
      where callback_id = $1`,
    [callbackId, verifyWithinSeconds],
  );
}

export async function setActive(
  runner: SqlRunner,
  callbackId: string,
  seconds: number,
  renewInSeconds: number,
): Promise<void> {
  await runner.query(
    `update websub_lease
        set state = 'active', failures = 0, expires_at = now() + make_interval(secs => $2),
            next_step_at = now() + make_interval(secs => $3)
      where callback_id = $1 and state <> 'leaving'`,
    [callbackId, seconds, renewInSeconds],
  );
}

export async function setRefused(
  runner: SqlRunner,
  callbackId: string,
  seconds: number,
): Promise<void> {
  await runner.query(
    `update websub_lease
        set state = case when state = 'leaving' then state else 'refused' end,
            failures = failures + 1, next_step_at = now() + make_interval(secs => $2)
      where callback_id = $1`,
    [callbackId, seconds],
  );
}
