import type { SqlRunner } from '../database.js';
import { JOB_SCHEMA } from '../job-schema.js';
import { DEAD_LETTERS, type DeadEnvelope, type JobsInCommon } from './job-kind.js';

/** A dead letter of any kind, without its payload. */
export interface DeadLetterLine {
  readonly kind: string;
  readonly id: string;
  readonly key: string;
  readonly error: string;
  readonly attempts: number;
  readonly sentAtSeconds: number;
  readonly givenUpAtSeconds: number;
}

/** Numbers of jobs of one kind, in all processes. */
export interface QueueState {
  readonly kind: string;
  /** Waiting for the first attempt. */
  readonly queued: number;
  /** Waiting for another attempt. */
  readonly retrying: number;
  readonly active: number;
  /** Dead letters. */
  readonly failed: number;
  /** Age of the oldest unfinished job; null when there is none. */
  readonly oldestSeconds: number | null;
}

export async function countDeadLetters(
  runner: SqlRunner,
  queues: readonly string[],
): Promise<number> {
  const [row] = await runner.query<{ total: number }>(
    `select count(*)::int as total from ${JOB_SCHEMA}.job
      where name = any($1::text[]) and state < 'completed'`,
    [queues],
  );
  return row?.total ?? 0;
}

/** Newest first. */
export async function listDeadLetters(
  runner: SqlRunner,
  queues: readonly string[],
  limit: number,
  offset: number,
): Promise<DeadLetterLine[]> {
  return runner.query<DeadLetterLine>(
    `select id, left(name, -length($2::text)) as kind, coalesce(singleton_key, '') as key,
            data->>'error' as error, (data->>'attempts')::int as attempts,
            floor(extract(epoch from (data->>'sentAt')::timestamptz))::bigint as "sentAtSeconds",
            floor(extract(epoch from created_on))::bigint as "givenUpAtSeconds"
       from ${JOB_SCHEMA}.job
      where name = any($1::text[]) and state < 'completed'
      order by created_on desc, id desc limit $3 offset $4`,
    [queues, DEAD_LETTERS, limit, offset],
  );
}

const MOST_LISTED = 1000;
const MOST_LISTED_BYTES = 4 * 1024 * 1024;

/** A dead letter with its payload. */
export interface DeadJob<Payload> {
  readonly id: string;
  readonly singletonKey: string | null;
  readonly data: DeadEnvelope<Payload>;
  readonly createdMillis: number;
}

/** Newest first: at most 1000 of the queue, and fewer if they are large, but one in any case. */
export async function listDeadJobs<Payload>(
  runner: SqlRunner,
  queue: string,
): Promise<DeadJob<Payload>[]> {
  return runner.query<DeadJob<Payload>>(
    `with newest as (
       select id, row_number() over newer as place, sum(octet_length(data::text)) over newer as bytes
         from (select id, data, created_on from ${JOB_SCHEMA}.job where name = $1 and state < 'completed'
                order by created_on desc, id desc limit $2) job
       window newer as (order by created_on desc, id desc)
     )
     select id, singleton_key as "singletonKey", data,
            floor(extract(epoch from created_on) * 1000)::bigint as "createdMillis"
       from ${JOB_SCHEMA}.job join newest using (id)
      where name = $1 and (place = 1 or bytes <= $3) order by created_on desc, id desc`,
    [queue, MOST_LISTED, MOST_LISTED_BYTES],
  );
}

/** Ordered by name; kinds without jobs have zeros. */
export async function countJobs(
  runner: SqlRunner,
  kinds: readonly string[],
): Promise<QueueState[]> {
  return runner.query<QueueState>(
    `select k.name as kind,
            count(*) filter (where j.name = k.name and j.state = 'created')::int as queued,
            count(*) filter (where j.name = k.name and j.state = 'retry')::int as retrying,
            count(*) filter (where j.name = k.name and j.state = 'active')::int as active,
            count(*) filter (where j.name <> k.name)::int as failed,
            floor(extract(epoch from now() - min(j.created_on)
              filter (where j.name = k.name)))::int as "oldestSeconds"
       from unnest($1::text[]) k (name)
       left join ${JOB_SCHEMA}.job j
         on j.name in (k.name, k.name || $2) and j.state < 'completed'
      group by k.name order by k.name`,
    [kinds, DEAD_LETTERS],
  );
}

/** Kinds that have a job to start now. Uses pg-boss's index for jobs to fetch. */
export async function listKindsWithJobs(
  runner: SqlRunner,
  kinds: readonly string[],
): Promise<string[]> {
  const rows = await runner.query<{ kind: string }>(
    `select kind from unnest($1::text[]) as known (kind)
      where exists (select 1 from ${JOB_SCHEMA}.job
                     where name = kind and state < 'active' and start_after < now())`,
    [kinds],
  );
  return rows.map(({ kind }) => kind);
}

/** Whether a job is not done yet. */
export async function hasJob(runner: SqlRunner, queue: string, key: string): Promise<boolean> {
  const jobs = await runner.query(
    `select 1 from ${JOB_SCHEMA}.job
      where name = $1 and singleton_key = $2 and state < 'completed' limit 1`,
    [queue, key],
  );
  return jobs.length > 0;
}

/** Jobs that one statement deletes. */
const MOST_DELETED = 1000;

/**
 * Deletes at most 1000 jobs: those that no worker has started or that wait for a retry, of a user also those
 * that run or have ended.
 *
 * @returns how many; 0 when none is left
 */
export async function deleteSomeJobs(
  runner: SqlRunner,
  queue: string,
  which: JobsInCommon,
): Promise<number> {
  const deleted = await runner.query(
    `with piece as (
       select id from ${JOB_SCHEMA}.job
        where name = $1 and (state < 'active' and (starts_with(singleton_key, $2) or group_id = $3)
                             or data->'payload'->>'userId' = $4)
        order by id limit $5 for update
     )
     delete from ${JOB_SCHEMA}.job using piece where name = $1 and job.id = piece.id returning 1`,
    [queue, which.keyPrefix ?? null, which.group ?? null, which.userId ?? null, MOST_DELETED],
  );
  return deleted.length;
}

/** Waiting jobs of one queue and owner that are too many. */
export interface Excess {
  readonly queue: string;
  /** The part of the key before the first `/`. */
  readonly owner: string;
  /** The newest of them, with `id`: a time of PostgreSQL. */
  readonly createdOn: string;
  readonly id: string;
}

/** @param most waiting jobs of an owner in each queue */
export async function listExcesses(
  runner: SqlRunner,
  queues: readonly string[],
  most: number,
): Promise<Excess[]> {
  return runner.query<Excess>(
    `with large as (
       select name, split_part(singleton_key, '/', 1) as owner from ${JOB_SCHEMA}.job
        where name = any($1::text[]) and state < 'active'
        group by 1, 2 having count(*) > $2
     )
     select large.name as queue, owner, newest.created_on::text as "createdOn", newest.id
       from large cross join lateral (
         select created_on, id from ${JOB_SCHEMA}.job
          where name = large.name and state < 'active'
            and split_part(singleton_key, '/', 1) = large.owner
          order by created_on desc, id desc offset $2 limit 1
       ) newest`,
    [queues, most],
  );
}

/** Deletes at most 1000 of them. @returns how many; 0 when none is left */
export async function deleteSomeExcess(
  runner: SqlRunner,
  { queue, owner, createdOn, id }: Excess,
): Promise<number> {
  const deleted = await runner.query(
    `with piece as (
       select id from ${JOB_SCHEMA}.job
        where name = $1 and split_part(singleton_key, '/', 1) = $2 and state < 'active'
          and (created_on, id) <= ($3::timestamptz, $4::uuid)
        order by id limit $5 for update
     )
     delete from ${JOB_SCHEMA}.job using piece where name = $1 and job.id = piece.id returning 1`,
    [queue, owner, createdOn, id, MOST_DELETED],
  );
  return deleted.length;
}
