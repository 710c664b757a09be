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

/** Columns of `ProcessingTask` in a statement that names the table `t`. */
export const ROW = `${STORED}, t.file_ids::float8[] as "fileIds",
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

/**
 * Claims the oldest scheduled tasks of the types for an app. Two callers never get the same task.
 *
 * @returns oldest first
 */
export async function claimTasks(
  runner: SqlRunner,
  appId: string,
  offers: readonly ClaimOffer[],
  most: number,
): Promise<ProcessingTask[]> {
  const rows = await runner.query<ProcessingTask>(
    `with next as (
       select t.id, offer.provider_id, offer.lease_seconds
         from processing_task t
         join unnest($2::text[], $3::text[], $4::int[])
              as offer (type, provider_id, lease_seconds) on offer.type = t.type
        where t.state = 'scheduled'
        order by t.id limit $5
        for update of t skip locked
     )
     update processing_task as t
        set state = 'running', app_id = $1, provider_id = next.provider_id,
            attempts = attempts + 1, lease_seconds = next.lease_seconds,
            lease_until = now() + make_interval(secs => next.lease_seconds),
            started_at = coalesce(started_at, now()), changed_at = now()
       from next where t.id = next.id
     returning ${ROW}`,
    [
      appId,
      offers.map(({ type }) => type),
      offers.map(({ providerId }) => providerId),
      offers.map(({ leaseSeconds }) => leaseSeconds),
      most,
    ],
  );
  return rows.toSorted((a, b) => a.id - b.id);
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
