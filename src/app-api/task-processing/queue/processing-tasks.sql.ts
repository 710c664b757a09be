import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import {
  ProcessingTaskEntity,
  type ProcessingState,
  type SlotValues,
} from './processing-task.entity.js';

const STORED = selectList(ProcessingTaskEntity, 't', [
  'id',
  'type',
  'state',
  'userId',
  'consumer',
  'customId',
  'input',
  'output',
  'progress',
  'error',
  'userError',
  'includeWatermark',
  'preferStreaming',
  'webhook',
  'expectedSeconds',
  'appId',
  'providerId',
  'attempts',
]);

const ROW = `${STORED}, t.file_ids::float8[] as "fileIds",
  floor(extract(epoch from t.changed_at))::bigint as "changedSeconds",
  floor(extract(epoch from t.scheduled_at))::bigint as "scheduledSeconds",
  floor(extract(epoch from t.started_at))::bigint as "startedSeconds",
  floor(extract(epoch from t.ended_at))::bigint as "endedSeconds"`;

/** A task of task processing. */
export type ProcessingTask = Omit<RowOf<typeof STORED>, 'state'> & {
  readonly state: ProcessingState;
  /** Ids in the slots of files of input and output. */
  readonly fileIds: readonly number[];
  /** Unix seconds, as the next three. */
  readonly changedSeconds: number;
  readonly scheduledSeconds: number;
  readonly startedSeconds: number | null;
  readonly endedSeconds: number | null;
};

export type NewProcessingTask = Pick<
  ProcessingTask,
  | 'type'
  | 'userId'
  | 'consumer'
  | 'customId'
  | 'input'
  | 'fileIds'
  | 'includeWatermark'
  | 'preferStreaming'
  | 'webhook'
  | 'expectedSeconds'
> & { readonly state: 'uploading' | 'scheduled' };

/** A type whose tasks a provider of the calling app may claim. */
export interface ClaimOffer {
  readonly type: string;
  readonly providerId: string;
  readonly leaseSeconds: number;
}

/** The end of a task as its app reports it. */
export type TaskEnd =
  | {
      readonly state: 'successful';
      readonly output: SlotValues;
      readonly fileIds: readonly number[];
    }
  | { readonly state: 'failed'; readonly error: string; readonly userError: string | null };

/** Rows that other claims may hold at the same time, and that a claim passes over. */
const CONCURRENT_CLAIMS = 20;

export async function insertTask(
  runner: SqlRunner,
  task: NewProcessingTask,
): Promise<ProcessingTask | undefined> {
  const [row] = await runner.query<ProcessingTask>(
    `insert into processing_task as t
       (type, state, user_id, consumer, custom_id, input, file_ids, include_watermark,
        prefer_streaming, webhook, expected_seconds)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     returning ${ROW}`,
    [
      task.type,
      task.state,
      task.userId,
      task.consumer,
      task.customId,
      JSON.stringify(task.input),
      task.fileIds,
      task.includeWatermark,
      task.preferStreaming,
      task.webhook && JSON.stringify(task.webhook),
      task.expectedSeconds,
    ],
  );
  return row;
}

export async function findTask(runner: SqlRunner, id: number): Promise<ProcessingTask | undefined> {
  const [row] = await runner.query<ProcessingTask>(
    `select ${ROW} from processing_task t where t.id = $1 and t.state <> 'uploading'`,
    [id],
  );
  return row;
}

/** How many tasks an app may be given. */
export interface ClaimBounds {
  readonly most: number;
  /** With those that it works on already. Claims at the same moment may exceed it. */
  readonly mostRunning: number;
}

/**
 * Claims scheduled tasks of the types for an app. Two callers never get the same task. The next task is
 * the oldest one of the user with the fewest running tasks of its type; between users with equally many,
 * of the one whose latest task began longest ago.
 *
 * @returns in this order
 */
export async function claimTasks(
  runner: SqlRunner,
  appId: string,
  offers: readonly ClaimOffer[],
  { most, mostRunning }: ClaimBounds,
): Promise<ProcessingTask[]> {
  return runner.query<ProcessingTask>(
    `with recursive offer as (
       select * from unnest($2::text[], $3::text[], $4::int[])
                  as o (type, provider_id, lease_seconds)
     ), head as (
       -- Each user with scheduled tasks, by one look into the index.
       select o.type, first.owner
         from offer o
        cross join lateral (
          select coalesce(user_id, '') as owner from processing_task
           where state = 'scheduled' and type = o.type
           order by coalesce(user_id, '') limit 1) as first
       union all
       select h.type, later.owner
         from head h
        cross join lateral (
          select coalesce(user_id, '') as owner from processing_task
           where state = 'scheduled' and type = h.type and coalesce(user_id, '') > h.owner
           order by coalesce(user_id, '') limit 1) as later
     ), running as (
       select type, coalesce(user_id, '') as owner, count(*) as tasks from processing_task
        where state = 'running' and type in (select type from offer) group by 1, 2
     ), candidate as (
       select own.id, h.type, coalesce(r.tasks, 0) + own.place as turn, served.latest
         from head h
         left join running r on r.type = h.type and r.owner = h.owner
        cross join lateral (
          select max(started_at) as latest from processing_task
           where type = h.type and coalesce(user_id, '') = h.owner and started_at is not null
        ) as served
        cross join lateral (
          -- Some more than asked for, since other claims may hold the first ones.
          select id, row_number() over (order by id) as place
            from (select id from processing_task
                   where state = 'scheduled' and type = h.type
                     and coalesce(user_id, '') = h.owner
                   order by id limit $5::int + $7::int) as oldest
        ) as own
     ), next as (
       select t.id, c.turn, c.latest, offer.provider_id, offer.lease_seconds
         from candidate c
         join processing_task t on t.id = c.id
         join offer on offer.type = t.type
        where t.state = 'scheduled'
        order by c.turn, c.latest nulls first, c.id
        limit least($5::int, greatest(0, $6::int - (
          select count(*)::int from processing_task where app_id = $1 and state = 'running')))
          for update of t skip locked
     ), claimed as (
       update processing_task as t
          set state = 'running', app_id = $1, provider_id = next.provider_id,
              attempts = attempts + 1, lease_seconds = next.lease_seconds,
              lease_until = now() + make_interval(secs => next.lease_seconds),
              started_at = coalesce(started_at, now()), changed_at = now()
         from next where t.id = next.id
       returning t.*
     )
     select ${ROW} from claimed t join next on next.id = t.id
      order by next.turn, next.latest nulls first, t.id`,
    [
      appId,
      offers.map(({ type }) => type),
      offers.map(({ providerId }) => providerId),
      offers.map(({ leaseSeconds }) => leaseSeconds),
      most,
      mostRunning,
      CONCURRENT_CLAIMS,
    ],
  );
}

/** Types with scheduled tasks. */
export async function listScheduledTypes(runner: SqlRunner): Promise<string[]> {
  const rows = await runner.query<{ type: string }>(
    `with recursive found as (
       (select type from processing_task where state = 'scheduled' order by type limit 1)
       union all
       select (select t.type from processing_task t
                where t.state = 'scheduled' and t.type > found.type order by t.type limit 1)
         from found where found.type is not null
     )
     select type from found where type is not null`,
  );
  return rows.map(({ type }) => type);
}

/** Those of the types that have scheduled tasks, also if a claim of them is not yet committed. */
export async function scheduledAmong(
  runner: SqlRunner,
  types: readonly string[],
): Promise<string[]> {
  const rows = await runner.query<{ type: string }>(
    `select type from unnest($1::text[]) as asked (type)
      where exists (select from processing_task t
                     where t.type = asked.type and t.state = 'scheduled')`,
    [types],
  );
  return rows.map(({ type }) => type);
}

/** When a task has failed for good. */
export interface TaskBounds {
  /** Claims. */
  readonly attempts: number;
  /** After it was claimed first, or else scheduled. */
  readonly seconds: number;
}

/**
 * Schedules the running tasks again whose lease has ended, unless they have failed for good.
 *
 * @returns their types, each once
 */
export async function giveBackEnded(
  runner: SqlRunner,
  { attempts }: TaskBounds,
): Promise<string[]> {
  const rows = await runner.query<{ type: string }>(
    `with ended as (
       select id from processing_task
        where state = 'running' and lease_until < now() and attempts < $1
        order by id for update skip locked
     ), given as (
       update processing_task as t
          set state = 'scheduled', lease_until = null, progress = null, output = null,
              changed_at = now()
         from ended where t.id = ended.id
       returning t.type
     )
     select distinct type from given`,
    [attempts],
  );
  return rows.map(({ type }) => type);
}

/** Fails tasks that nobody finishes any more, oldest first. */
export async function failHopeless(
  runner: SqlRunner,
  { attempts, seconds }: TaskBounds,
  most: number,
): Promise<ProcessingTask[]> {
  return runner.query<ProcessingTask>(
    `with hopeless as (
       select t.id, t.state = 'running' and t.lease_until < now() and t.attempts >= $1 as exhausted
         from processing_task t
        where t.id = any (array(
                select id from processing_task
                 where state = 'running' and lease_until < now() and attempts >= $1)
              || array(
                select id from processing_task
                 where state = 'running' and started_at < now() - make_interval(secs => $2))
              || array(
                select id from processing_task
                 where state = 'scheduled'
                   and coalesce(started_at, scheduled_at) < now() - make_interval(secs => $2)))
          and t.state in ('scheduled', 'running')
        order by t.id limit $3 for update of t skip locked
     )
     update processing_task as t
        set state = 'failed', lease_until = null, ended_at = now(), changed_at = now(),
            error = case when hopeless.exhausted
              then format('No report from the app after %s claims.', t.attempts)
              else format('Not finished within %s hours.', $2 / 3600) end
       from hopeless where t.id = hopeless.id
     returning ${ROW}`,
    [attempts, seconds, most],
  );
}

export async function existsUnfinished(runner: SqlRunner): Promise<boolean> {
  const [row] = await runner.query<{ any: boolean }>(
    `select exists (select from processing_task where state = 'scheduled')
         or exists (select from processing_task where state = 'running') as any`,
  );
  return row?.any === true;
}

/** Types with tasks that wait for longer. */
export async function listWaitingTypes(runner: SqlRunner, seconds: number): Promise<string[]> {
  const rows = await runner.query<{ type: string }>(
    `select distinct type from processing_task
      where state = 'scheduled' and changed_at < now() - make_interval(secs => $1)`,
    [seconds],
  );
  return rows.map(({ type }) => type);
}

/**
 * Records progress and renews the lease. A task that was scheduled again after its lease, and not
 * claimed since, is running again. Ignored for an ended task.
 *
 * @returns undefined if the app has not claimed it last
 */
export async function recordProgress(
  runner: SqlRunner,
  appId: string,
  id: number,
  progress: number,
): Promise<ProcessingTask | undefined> {
  await runner.query(
    `update processing_task
        set progress = $3, state = 'running', changed_at = now(),
            lease_until = now() + make_interval(secs => lease_seconds)
      where id = $1 and app_id = $2 and state in ('scheduled', 'running')`,
    [id, appId, progress],
  );
  return findTaskOfApp(runner, appId, id);
}

/**
 * Ends a task with the report of its app. Ignored for an ended task: the first report counts.
 *
 * @returns the task if it ended now
 */
export async function endTask(
  runner: SqlRunner,
  appId: string,
  id: number,
  end: TaskEnd,
): Promise<ProcessingTask | undefined> {
  const isSuccess = end.state === 'successful';
  const [row] = await runner.query<ProcessingTask>(
    `update processing_task as t
        set state = $3, output = coalesce($4::json, output), file_ids = file_ids || $5::bigint[],
            error = $6, user_error = $7, progress = case when $4::json is null then progress else 1 end,
            lease_until = null, ended_at = now(), changed_at = now()
      where id = $1 and app_id = $2 and state in ('scheduled', 'running')
     returning ${ROW}`,
    [
      id,
      appId,
      end.state,
      isSuccess ? JSON.stringify(end.output) : null,
      isSuccess ? end.fileIds : [],
      isSuccess ? null : end.error,
      isSuccess ? null : end.userError,
    ],
  );
  return row;
}

export async function findTaskOfApp(
  runner: SqlRunner,
  appId: string,
  id: number,
): Promise<ProcessingTask | undefined> {
  const [row] = await runner.query<ProcessingTask>(
    `select ${ROW} from processing_task t where t.id = $1 and t.app_id = $2`,
    [id, appId],
  );
  return row;
}

/**
 * Stores an output that is not final, and renews the lease.
 *
 * @returns undefined unless the app is working on the task
 */
export async function storeIntermediateOutput(
  runner: SqlRunner,
  appId: string,
  id: number,
  output: SlotValues,
): Promise<ProcessingTask | undefined> {
  const [row] = await runner.query<ProcessingTask>(
    `update processing_task as t
        set output = $3::json, state = 'running', changed_at = now(),
            lease_until = now() + make_interval(secs => lease_seconds)
      where id = $1 and app_id = $2 and state in ('scheduled', 'running') and prefer_streaming
     returning ${ROW}`,
    [id, appId, JSON.stringify(output)],
  );
  return row;
}

/** Ids of the files that were uploaded for a task. */
export async function listFileIdsOf(runner: SqlRunner, id: number): Promise<number[]> {
  const rows = await runner.query<{ id: number }>(
    `select id from processing_task_file where task_id = $1 and size_bytes is not null`,
    [id],
  );
  return rows.map((file) => file.id);
}

/** @returns the task if it was unfinished */
export async function cancelTask(
  runner: SqlRunner,
  id: number,
): Promise<ProcessingTask | undefined> {
  const [row] = await runner.query<ProcessingTask>(
    `update processing_task as t
        set state = 'cancelled', lease_until = null, ended_at = now(), changed_at = now()
      where id = $1 and state in ('scheduled', 'running')
     returning ${ROW}`,
    [id],
  );
  return row;
}
