import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { lockLimit } from '../../../database/lock-limit.js';
import {
  type ClaimedTask,
  type ClaimOffer,
  FETCHED,
  type NewProcessingTask,
  OLDER_ID,
  type ProcessingTask,
  ROW,
  type SlotValues,
  type TaskEnd,
} from './processing-task.entity.js';

/** A user's next task of a type waits for at least this time per unfinished one, so that others get turns. */
const SHORTEST_TURN_SECONDS = 10;

/** Tasks that concurrent claims may have locked already. */
const SPARE_CANDIDATES = 32;

interface ClaimBounds {
  /** Tasks of this claim. */
  readonly most: number;
  /** Limit of running tasks of the app, including this claim's. */
  readonly mostRunning: number;
}

const RENEWED_LEASE = `least(now() + make_interval(secs => t.lease_seconds), t.deadline_at)`;

/** Reasons why no app finished a task, for administrators and for the user. */
interface Loss {
  readonly error: string;
  readonly userError: string;
}

@Injectable()
export class ProcessingTasksRepository {
  constructor(private readonly database: Database) {}

  /** Stores a task whose input was checked. */
  async create(tx: SqlRunner, task: NewProcessingTask): Promise<ProcessingTask> {
    const [created] = await tx.query<ProcessingTask>(
      `insert into processing_task as t
         (type, state, user_id, consumer, custom_id, input, file_ids, include_watermark,
          prefer_streaming, webhook, expected_seconds, older, called_app_id, provider_id, place_at,
          deadline_at)
       select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $13, $14, $15,
              now() + make_interval(secs => count(*) * greatest($11, ${SHORTEST_TURN_SECONDS})),
              now() + make_interval(secs => $12)
         from processing_task t
        where t.user_id ${task.userId === null ? 'is null' : '= $3'} and t.type = $1
          and t.state in ('uploading', 'scheduled', 'running') and ${FETCHED}
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
        task.maxSeconds,
        task.older && JSON.stringify(task.older),
        task.calledAppId,
        task.providerId,
      ],
    );
    if (created === undefined) {
      throw new Error(`A task of the type ${task.type} was not stored.`);
    }
    return created;
  }

  /** A task of any owner. Excludes tasks whose upload is in progress. */
  async find(id: number): Promise<ProcessingTask | null> {
    const [row] = await this.database.query<ProcessingTask>(
      `select ${ROW} from processing_task t where t.id = $1 and t.state <> 'uploading'`,
      [id],
    );
    return row ?? null;
  }

  /**
   * A task that an app is called with.
   *
   * @param id at the older routes
   */
  async called(id: number): Promise<ProcessingTask | null> {
    const [row] = await this.database.query<ProcessingTask>(
      `select ${ROW} from processing_task t
        where ${OLDER_ID} = $1 and t.older is not null and t.called_app_id is not null`,
      [id],
    );
    return row ?? null;
  }

  /** Called when an app has accepted the task or reports on it; ignored for an ended one. */
  async noteCalled(id: number, progress: number | null = null): Promise<void> {
    await this.database.query(
      `update processing_task
          set state = 'running', started_at = coalesce(started_at, now()),
              progress = coalesce($2, progress), changed_at = now()
        where id = $1 and called_app_id is not null and state in ('scheduled', 'running')`,
      [id, progress],
    );
  }

  /** Ends a task that an app is called with. @returns null for an ended one, which is not changed */
  async endCalled(tx: SqlRunner, id: number, end: TaskEnd): Promise<ProcessingTask | null> {
    const [row] = await tx.query<ProcessingTask>(
      `update processing_task as t
          set state = $2, output = $3, error = $4, user_error = $4, ended_at = now(),
              changed_at = now()
        where t.id = $1 and t.called_app_id is not null and t.state in ('scheduled', 'running')
       returning ${ROW}`,
      end.state === 'successful'
        ? [id, end.state, JSON.stringify(end.output), null]
        : [id, end.state, null, end.error],
    );
    return row ?? null;
  }

  async remove(id: number): Promise<void> {
    await this.database.query('delete from processing_task where id = $1', [id]);
  }

  /** A task that the app claimed last. */
  async ofApp(appId: string, id: number): Promise<ProcessingTask | null> {
    const [row] = await this.database.query<ProcessingTask>(
      `select ${ROW} from processing_task t where t.id = $1 and t.app_id = $2`,
      [id, appId],
    );
    return row ?? null;
  }

  /**
   * Claims scheduled tasks for an app in the order of their places. Two callers never get the same task.
   *
   * @returns oldest first
   */
  async claim(
    appId: string,
    offers: readonly ClaimOffer[],
    { most, mostRunning }: ClaimBounds,
  ): Promise<ClaimedTask[]> {
    const rows = await this.database.transaction(async (tx) => {
      await lockLimit(tx, 'tasks-running-per-app', appId);
      return tx.query<ClaimedTask>(
        `with candidate as (
           select waiting.id, offer.provider_id, offer.lease_seconds
             from unnest($2::text[], $3::text[], $4::int[])
                  as offer (type, provider_id, lease_seconds)
            cross join lateral (
              select t.id from processing_task t
               where t.type = offer.type and t.state = 'scheduled' and ${FETCHED}
               order by t.place_at, t.id limit $5::int + ${SPARE_CANDIDATES}) as waiting
         ), next as (
           select t.id, candidate.provider_id, candidate.lease_seconds
             from processing_task t join candidate on candidate.id = t.id
            where t.state = 'scheduled'
            order by t.place_at, t.id
            limit greatest(0, least($5::int, $6::int - (
              select count(*)::int from processing_task r
               where r.app_id = $1 and r.state = 'running')))
            for update of t skip locked
         )
         update processing_task as t
            set state = 'running', app_id = $1, provider_id = next.provider_id,
                attempts = attempts + 1, lease_seconds = next.lease_seconds,
                lease_until = least(now() + make_interval(secs => next.lease_seconds), deadline_at),
                started_at = coalesce(started_at, now()), changed_at = now()
           from next where t.id = next.id
         returning ${ROW}`,
        [
          appId,
          offers.map(({ type }) => type),
          offers.map(({ providerId }) => providerId),
          offers.map(({ leaseSeconds }) => leaseSeconds),
          most,
          mostRunning,
        ],
      );
    });
    return rows.toSorted((a, b) => a.id - b.id);
  }

  /** The given types that have a scheduled task. */
  async scheduledTypes(types: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ type: string }>(
      `select type from unnest($1::text[]) as known (type)
        where exists (select from processing_task t
                       where t.type = known.type and t.state = 'scheduled' and ${FETCHED})`,
      [types],
    );
    return rows.map(({ type }) => type);
  }

  /** Whether any task is scheduled or running. */
  async anyUnfinished(): Promise<boolean> {
    const [row] = await this.database.query<{ any: boolean }>(
      `select exists (select from processing_task where state = 'scheduled')
           or exists (select from processing_task where state = 'running') as any`,
    );
    return row?.any === true;
  }

  /** Types whose oldest scheduled task has waited for some time. */
  async waitingTypes(seconds: number): Promise<string[]> {
    const rows = await this.database.query<{ type: string }>(
      `select distinct t.type from processing_task t
        where t.state = 'scheduled' and t.changed_at < now() - make_interval(secs => $1)
          and ${FETCHED}`,
      [seconds],
    );
    return rows.map(({ type }) => type);
  }

  /**
   * Records progress and renews the lease. A task that was scheduled again after its lease, and not
   * claimed since, is running again.
   *
   * @returns null unless the app has claimed it last and it is unfinished
   */
  async recordProgress(
    appId: string,
    id: number,
    progress: number,
  ): Promise<ProcessingTask | null> {
    const [row] = await this.database.query<ProcessingTask>(
      `update processing_task as t
          set progress = $3, state = 'running', changed_at = now(), lease_until = ${RENEWED_LEASE}
        where t.id = $1 and t.app_id = $2 and t.state in ('scheduled', 'running')
       returning ${ROW}`,
      [id, appId, progress],
    );
    return row ?? null;
  }

  /**
   * Stores an output that is not final, and renews the lease.
   *
   * @returns null unless the app is working on the task and the consumer wants streaming
   */
  async storeIntermediateOutput(
    appId: string,
    id: number,
    output: SlotValues,
  ): Promise<ProcessingTask | null> {
    const [row] = await this.database.query<ProcessingTask>(
      `update processing_task as t
          set output = $3::json, state = 'running', changed_at = now(),
              lease_until = ${RENEWED_LEASE}
        where id = $1 and app_id = $2 and state in ('scheduled', 'running') and prefer_streaming
       returning ${ROW}`,
      [id, appId, JSON.stringify(output)],
    );
    return row ?? null;
  }

  /**
   * Ends a task with the report of its app. Ignored for an ended task: the first report counts.
   *
   * @returns the task if it ended now, else null
   */
  async end(
    tx: SqlRunner,
    appId: string,
    id: number,
    end: TaskEnd,
  ): Promise<ProcessingTask | null> {
    const isSuccess = end.state === 'successful';
    const [row] = await tx.query<ProcessingTask>(
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
    return row ?? null;
  }

  /** @returns the task if it was unfinished, else null */
  async cancel(tx: SqlRunner, id: number): Promise<ProcessingTask | null> {
    const [row] = await tx.query<ProcessingTask>(
      `update processing_task as t
          set state = 'cancelled', lease_until = null, ended_at = now(), changed_at = now()
        where id = $1 and state in ('scheduled', 'running')
       returning ${ROW}`,
      [id],
    );
    return row ?? null;
  }

  /** Cancels scheduled tasks of a type, except tasks that are being claimed at this moment. */
  async cancelScheduled(runner: SqlRunner, type: string, most: number): Promise<ProcessingTask[]> {
    return runner.query<ProcessingTask>(
      `update processing_task as t
          set state = 'cancelled', ended_at = now(), changed_at = now()
        where t.id in (
          select t.id from processing_task t
           where t.type = $1 and t.state = 'scheduled' and ${FETCHED}
           order by t.place_at, t.id limit $2 for update skip locked)
       returning ${ROW}`,
      [type, most],
    );
  }

  /**
   * Reschedules tasks whose lease has ended. Their app may still report, until another claim.
   *
   * @param mostAttempts tasks with more claims are skipped, see `failLost`
   */
  async giveBackEndedLeases(mostAttempts: number): Promise<ProcessingTask[]> {
    return this.database.query<ProcessingTask>(
      `update processing_task as t
          set state = 'scheduled', lease_until = null, progress = null, output = null,
              changed_at = now()
        where t.state = 'running' and t.lease_until < now() and t.attempts < $1
          and t.deadline_at > now()
       returning ${ROW}`,
      [mostAttempts],
    );
  }

  /**
   * Fails unfinished tasks after their deadline.
   *
   * @param olderError of tasks that older routes know, for the user
   */
  async failOverdue(
    runner: SqlRunner,
    { error, userError }: Loss,
    olderError: string,
  ): Promise<ProcessingTask[]> {
    return runner.query<ProcessingTask>(
      `update processing_task as t
          set state = 'failed', lease_until = null, ended_at = now(), changed_at = now(),
              error = case when ${FETCHED} then $1 else $3 end,
              user_error = case when t.older is null then $2 else $3 end
        where t.state in ('scheduled', 'running') and t.deadline_at <= now()
       returning ${ROW}`,
      [error, userError, olderError],
    );
  }

  /** Fails tasks that were claimed too often without a report. */
  async failLost(
    runner: SqlRunner,
    mostAttempts: number,
    { error, userError }: Loss,
  ): Promise<ProcessingTask[]> {
    return runner.query<ProcessingTask>(
      `update processing_task as t
          set state = 'failed', error = $2, user_error = $3, lease_until = null, ended_at = now(),
              changed_at = now()
        where t.state = 'running' and t.lease_until < now() and t.attempts >= $1
       returning ${ROW}`,
      [mostAttempts, error, userError],
    );
  }
}
