import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { lockLimit } from '../../../database/lock-limit.js';
import {
  ExAppTaskEntity,
  ExAppTaskPieceEntity,
  type TaskKind,
  type TaskState,
} from './ex-app-task.entity.js';
import { selectList, type RowOf } from '../../../database/select-list.js';

const STORED = selectList(ExAppTaskEntity, 't', [
  'id',
  'appId',
  'kind',
  'providerName',
  'input',
  'note',
  'processingTaskId',
]);

/** Column of the task in task processing if that does the work. */
const DONE_BY = (column: string) =>
  `(select ${column} from processing_task p where p.id = t.processing_task_id)`;

const ROW = `${STORED},
  case when t.state = 'queued' and ${DONE_BY(`p.state = 'running'`)} then 'running'
       else t.state end as state,
  coalesce(t.progress, ${DONE_BY('floor(p.progress * 100)::int')}) as progress,
  coalesce(t.user_id, '') as "userId",
  coalesce(t.result, '') as result, coalesce(t.error, '') as error,
  floor(extract(epoch from t.deadline_at - now()))::int as "secondsLeft",
  floor(extract(epoch from t.created_at))::bigint as "createdSeconds",
  floor(extract(epoch from t.started_at))::bigint as "startedSeconds",
  floor(extract(epoch from t.finished_at))::bigint as "finishedSeconds"`;

/** Work that an app does as a provider. */
export type Task = RowOf<typeof STORED> & {
  readonly state: TaskState;
  /** Per cent; null if the provider does not report any. */
  readonly progress: number | null;
  readonly userId: string;
  readonly result: string;
  /** Empty without an error. */
  readonly error: string;
  /** Seconds until the deadline, rounded down. */
  readonly secondsLeft: number;
  /** Unix seconds, like the next two fields. */
  readonly createdSeconds: number;
  readonly startedSeconds: number | null;
  readonly finishedSeconds: number | null;
};

export type NewTask = Pick<Task, 'appId' | 'kind' | 'providerName' | 'userId' | 'input'> & {
  readonly state: 'uploading' | 'queued';
  readonly note?: Task['note'];
  readonly maxSeconds: number;
};

/** Selects tasks of one user. */
export interface OwnTasks {
  readonly userId: string;
  readonly kind: TaskKind;
  readonly appId?: string | undefined;
  readonly identifier?: string | undefined;
}

/** Error of an overdue task. */
const OVERDUE = 'The provider did not report a result in time.';

const MOST_LISTED_BYTES = 4 * 1024 * 1024;

/**
 * Finishes tasks, except finished ones, and deletes their recordings. `finished` has their ids.
 *
 * @param changes assignments
 */
const finishing = (changes: string, condition: string) => `finished as (
    update ex_app_task set ${changes}, finished_at = now()
     where finished_at is null and ${condition} returning id
  ), deleted as (
    delete from ex_app_task_piece where task_id in (select id from finished)
  )`;

const REPORTED = 'state = $1, result = $2, error = $3, started_at = coalesce(started_at, now())';

/** A task as the provider names it. */
type TaskOfApp = Pick<Task, 'appId' | 'kind' | 'id'>;

/** Tasks of providers. Overdue tasks are failed before anything else is read or changed. */
@Injectable()
export class TasksRepository {
  constructor(private readonly database: Database) {}

  /**
   * Inserts a task under a lock per user, so that concurrent requests cannot exceed the limit together.
   *
   * @param mostUnfinished of the user's tasks, with this one
   * @param tx a transaction
   * @returns null if the limit is reached
   */
  async create(task: NewTask, mostUnfinished: number, tx: SqlRunner): Promise<Task | null> {
    await lockLimit(tx, 'tasks-per-user', task.userId);
    const [row] = await tx.query<Task>(
      `insert into ex_app_task as t
         (app_id, kind, provider_name, user_id, input, note, state, deadline_at)
       select $1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8)
        where (select count(*) from ex_app_task
                where user_id = $4 and finished_at is null and deadline_at > now()) < $9
       returning ${ROW}`,
      [
        task.appId,
        task.kind,
        task.providerName,
        task.userId,
        JSON.stringify(task.input),
        JSON.stringify(task.note ?? {}),
        task.state,
        task.maxSeconds,
        mostUnfinished,
      ],
    );
    return row ?? null;
  }

  async find(id: number): Promise<Task | null> {
    await this.failOverdue();
    const [row] = await this.database.query<Task>(
      `select ${ROW} from ex_app_task t where t.id = $1`,
      [id],
    );
    return row ?? null;
  }

  /**
   * Newest first, without uploads in progress: at most `limit`, and fewer if they are large, but one in any
   * case.
   */
  async ofUser({ userId, kind, appId, identifier }: OwnTasks, limit: number): Promise<Task[]> {
    await this.failOverdue();
    return this.database.query<Task>(
      `with newest as (
         select t.id, row_number() over newer as place,
                sum(octet_length(t.input::text) + octet_length(t.note::text)
                    + coalesce(octet_length(t.result), 0)) over newer as bytes
           from ex_app_task t
          where t.user_id = $1 and t.kind = $2 and t.state <> 'uploading'
            and ($3::text is null or t.note->>'appId' = $3)
            and ($4::text is null or t.note->>'identifier' = $4)
         window newer as (order by t.id desc)
          order by t.id desc limit $5
       )
       select ${ROW} from ex_app_task t join newest on newest.id = t.id
        where newest.place = 1 or newest.bytes <= $6 order by t.id desc`,
      [userId, kind, appId ?? null, identifier ?? null, limit, MOST_LISTED_BYTES],
    );
  }

  /** Excludes tasks whose upload is in progress. */
  async countByState(): Promise<Partial<Record<TaskState, number>>> {
    await this.failOverdue();
    const rows = await this.database.query<{ state: TaskState; count: number }>(
      `select state, count(*)::int as count from ex_app_task where state <> 'uploading' group by state`,
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  }

  /** @param place of this piece in the recording; counts from 0 without gaps */
  async addPiece(taskId: number, place: number, bytes: Uint8Array): Promise<void> {
    await this.database.entities((em) => em.insert(ExAppTaskPieceEntity, { taskId, place, bytes }));
  }

  /** Null after the last piece, or when the task is finished. */
  async piece(taskId: number, place: number): Promise<Uint8Array | null> {
    const piece = await this.database.entities((em) =>
      em.findOne(
        ExAppTaskPieceEntity,
        { taskId, place },
        { fields: ['bytes'], disableIdentityMap: true },
      ),
    );
    return piece?.bytes ?? null;
  }

  /** Size of a recording; 0 if there is none. */
  async recordingBytes(taskId: number): Promise<number> {
    const [row] = await this.database.query<{ bytes: number }>(
      'select coalesce(sum(length(bytes)), 0)::int as bytes from ex_app_task_piece where task_id = $1',
      [taskId],
    );
    return row?.bytes ?? 0;
  }

  /** Ends an upload and starts the clock of the deadline. @returns null if it is not uploading */
  async queue(id: number, maxSeconds: number, tx: SqlRunner): Promise<Task | null> {
    const [row] = await tx.query<Task>(
      `update ex_app_task t
          set state = 'queued', deadline_at = now() + make_interval(secs => $2)
        where t.id = $1 and t.state = 'uploading' returning ${ROW}`,
      [id, maxSeconds],
    );
    return row ?? null;
  }

  /** Called when the app has accepted the task. */
  async markRunning(id: number): Promise<void> {
    await this.database.query(
      `update ex_app_task set state = 'running', started_at = now()
        where id = $1 and state = 'queued'`,
      [id],
    );
  }

  /** Ignored for a finished task. @returns false if the app has no such task */
  async recordProgress({ appId, kind, id }: TaskOfApp, progress: number): Promise<boolean> {
    await this.failOverdue();
    const rows = await this.database.query(
      `with own as (
         select id from ex_app_task where id = $1 and app_id = $2 and kind = $3
       ), noted as (
         update ex_app_task
            set progress = $4, state = 'running', started_at = coalesce(started_at, now())
          where id in (select id from own) and finished_at is null
       )
       select 1 from own`,
      [id, appId, kind, progress],
    );
    return rows.length > 0;
  }

  /**
   * Finishes a task and deletes its recording. Ignored for a finished task: the first report counts.
   *
   * @param error empty unless it failed
   * @returns false if the app has no such task
   */
  async finish(
    { appId, kind, id }: TaskOfApp,
    { result, error }: Pick<Task, 'result' | 'error'>,
  ): Promise<boolean> {
    await this.failOverdue();
    const rows = await this.database.query(
      `with own as (
         select id from ex_app_task where id = $4 and app_id = $5 and kind = $6
       ), ${finishing(REPORTED, 'id in (select id from own)')}
       select 1 from own`,
      [error === '' ? 'done' : 'failed', result, error, id, appId, kind],
    );
    return rows.length > 0;
  }

  /** Names the task of task processing that does the work; it may have ended already. */
  async setProcessingTask(id: number, processingTaskId: number): Promise<void> {
    await this.database.query('update ex_app_task set processing_task_id = $2 where id = $1', [
      id,
      processingTaskId,
    ]);
  }

  /** Finishes a task of the user that task processing did; ignored for a finished one. */
  async finishOwn(
    tx: SqlRunner,
    userId: string,
    id: number,
    { result, error }: Pick<Task, 'result' | 'error'>,
  ): Promise<void> {
    await tx.query(`with ${finishing(REPORTED, 'id = $4 and user_id = $5')} select 1`, [
      error === '' ? 'done' : 'failed',
      result.replaceAll('\0', ''),
      error,
      id,
      userId,
    ]);
  }

  /** @returns false for a finished task, which is not changed */
  async fail(id: number, error: string): Promise<boolean> {
    const rows = await this.database.query(
      `with ${finishing(`state = 'failed', error = $2`, 'id = $1')} select 1 from finished`,
      [id, error],
    );
    return rows.length > 0;
  }

  async failOverdue(): Promise<void> {
    await this.database.query(
      `with ${finishing(`state = 'failed', error = $1`, `state <> 'uploading' and deadline_at <= now()`)}
       select 1`,
      [OVERDUE],
    );
  }

  async deleteFinished(olderThanDays: number): Promise<void> {
    await this.database.query(
      'delete from ex_app_task where finished_at < now() - make_interval(days => $1)',
      [olderThanDays],
    );
  }

  /** Deletes uploads that were interrupted by the end of a process. */
  async deleteAbandonedUploads(): Promise<void> {
    await this.database.query(
      `delete from ex_app_task where state = 'uploading' and deadline_at <= now()`,
    );
  }

  async remove(id: number): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(ExAppTaskEntity, { id }));
  }

  async removeOfUser(userId: string): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(ExAppTaskEntity, { userId }));
  }
}
