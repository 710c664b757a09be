import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';

export type TaskKind = 'translation' | 'text_processing' | 'speech_to_text';

/** `uploading` until its recording is whole, `queued` until the app has been told. */
export type TaskState = 'uploading' | 'queued' | 'running' | 'done' | 'failed';

/** Work that was given to a provider. */
export interface Task {
  readonly id: number;
  readonly appId: string;
  readonly kind: TaskKind;
  readonly providerName: string;
  readonly userId: string;
  readonly input: TaskInput;
  /** What whoever asked for it wants to be told again; the provider does not see it. */
  readonly note: Readonly<Record<string, string>>;
  readonly state: TaskState;
  readonly result: string;
  /** Empty while all is well. */
  readonly error: string;
  /** Per cent; null when the provider does not say. */
  readonly progress: number | null;
  /** Whole seconds until the deadline; 0 or less when it has passed. */
  readonly secondsLeft: number;
  /** Unix seconds, as the next two. */
  readonly createdSeconds: number;
  readonly startedSeconds: number | null;
  readonly finishedSeconds: number | null;
}

/** What the provider is to work on, by the names it knows. */
export type TaskInput = Readonly<Record<string, string | null>>;

export type NewTask = Pick<Task, 'appId' | 'kind' | 'providerName' | 'userId' | 'input'> & {
  readonly state: 'uploading' | 'queued';
  readonly note?: Task['note'];
  readonly maxSeconds: number;
};

/** What a provider says about a task in the end; `error` is empty unless it failed. */
export interface TaskReport {
  readonly result: string;
  readonly error: string;
}

/** Which of a user's tasks. */
export interface OwnTasks {
  readonly userId: string;
  readonly kind: TaskKind;
  /** What their notes say; undefined for any. */
  readonly appId?: string | undefined;
  readonly identifier?: string | undefined;
}

const COLUMNS = `
  id, app_id as "appId", kind, provider_name as "providerName", coalesce(user_id, '') as "userId",
  input, note, state, coalesce(result, '') as result, coalesce(error, '') as error, progress,
  floor(extract(epoch from deadline_at - now()))::int as "secondsLeft",
  floor(extract(epoch from created_at))::bigint as "createdSeconds",
  floor(extract(epoch from started_at))::bigint as "startedSeconds",
  floor(extract(epoch from finished_at))::bigint as "finishedSeconds"`;

/** A task whose deadline has passed is failed, whether or not anybody has noted it yet. */
const TOOK_TOO_LONG = 'The provider did not report a result in time.';

/** The first half of an advisory lock; the second is the user. */
const TASKS_LOCK = 4_706_003;

/** Tasks of providers and what became of them. */
@Injectable()
export class TasksRepository {
  constructor(private readonly database: Database) {}

  /**
   * Counts and adds in one step, so that requests at the same moment do not all find room.
   *
   * @param mostUnfinished of the user's tasks, with this one
   * @param tx a transaction
   * @returns null when the user has as many already
   */
  async create(task: NewTask, mostUnfinished: number, tx: SqlRunner): Promise<Task | null> {
    await tx.query('select pg_advisory_xact_lock($1, hashtext($2))', [TASKS_LOCK, task.userId]);
    const [row] = await tx.query<Task>(
      `insert into ex_app_task (app_id, kind, provider_name, user_id, input, note, state, deadline_at)
       select $1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8)
        where (select count(*) from ex_app_task
                where user_id = $4 and finished_at is null and deadline_at > now()) < $9
       returning ${COLUMNS}`,
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
      `select ${COLUMNS} from ex_app_task where id = $1`,
      [id],
    );
    return row ?? null;
  }

  /** Newest first; without recordings that are still on their way. */
  async ofUser({ userId, kind, appId, identifier }: OwnTasks, limit: number): Promise<Task[]> {
    await this.failOverdue();
    return this.database.query<Task>(
      `select ${COLUMNS} from ex_app_task
        where user_id = $1 and kind = $2 and state <> 'uploading'
          and ($3::text is null or note->>'appId' = $3)
          and ($4::text is null or note->>'identifier' = $4)
        order by id desc limit $5`,
      [userId, kind, appId ?? null, identifier ?? null, limit],
    );
  }

  /** Of all users, newest first. */
  async recent(limit: number): Promise<Task[]> {
    await this.failOverdue();
    return this.database.query<Task>(
      `select ${COLUMNS} from ex_app_task order by id desc limit $1`,
      [limit],
    );
  }

  /** How many there are in each state; finished ones are those that are still kept. */
  async countByState(): Promise<{ readonly state: TaskState; readonly count: number }[]> {
    await this.failOverdue();
    return this.database.query(
      'select state, count(*)::int as count from ex_app_task group by state order by state',
    );
  }

  /** @param place of this piece of the recording, counted from 0 without a gap */
  async addPiece(taskId: number, place: number, bytes: Uint8Array): Promise<void> {
    await this.database.query(
      'insert into ex_app_task_piece (task_id, place, bytes) values ($1, $2, $3)',
      [taskId, place, bytes],
    );
  }

  /** Null when there is none, or none any more. */
  async piece(taskId: number, place: number): Promise<Buffer | null> {
    const [row] = await this.database.query<{ bytes: Buffer }>(
      'select bytes from ex_app_task_piece where task_id = $1 and place = $2',
      [taskId, place],
    );
    return row?.bytes ?? null;
  }

  /** Of the recording; 0 when there is none. */
  async recordingBytes(taskId: number): Promise<number> {
    const [row] = await this.database.query<{ bytes: number }>(
      `select coalesce(sum(length(bytes)), 0)::int as bytes
         from ex_app_task_piece where task_id = $1`,
      [taskId],
    );
    return row?.bytes ?? 0;
  }

  /** The recording is whole: from here on the time of the task runs. */
  async queue(id: number, maxSeconds: number, tx: SqlRunner): Promise<Task | null> {
    const [row] = await tx.query<Task>(
      `update ex_app_task
          set state = 'queued', deadline_at = now() + make_interval(secs => $2)
        where id = $1 and state = 'uploading' returning ${COLUMNS}`,
      [id, maxSeconds],
    );
    return row ?? null;
  }

  /** The app has been told. */
  async begin(id: number): Promise<void> {
    await this.database.query(
      `update ex_app_task set state = 'running', started_at = now()
        where id = $1 and state = 'queued'`,
      [id],
    );
  }

  /**
   * How far a provider says that it is; nothing any more once the task is finished.
   *
   * @returns false when the app has no such task
   */
  async noteProgress(
    appId: string,
    kind: TaskKind,
    id: number,
    progress: number,
  ): Promise<boolean> {
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
   * The first report counts; what comes later, also after the deadline, changes nothing.
   *
   * @returns false when the app has no such task
   */
  async report(appId: string, kind: TaskKind, id: number, report: TaskReport): Promise<boolean> {
    await this.failOverdue();
    const rows = await this.database.query(
      `with own as (
         select id from ex_app_task where id = $1 and app_id = $2 and kind = $3
       ), finished as (
         update ex_app_task
            set state = $4, result = $5, error = $6, finished_at = now(),
                started_at = coalesce(started_at, now())
          where id in (select id from own) and finished_at is null
         returning id
       ), forgotten as (
         delete from ex_app_task_piece where task_id in (select id from finished)
       )
       select 1 from own`,
      [id, appId, kind, report.error === '' ? 'done' : 'failed', report.result, report.error],
    );
    return rows.length > 0;
  }

  /** @returns false for a task that is finished, to which it does nothing */
  async fail(id: number, error: string): Promise<boolean> {
    const rows = await this.database.query(
      `with finished as (
         update ex_app_task set state = 'failed', error = $2, finished_at = now()
          where id = $1 and finished_at is null returning id
       ), forgotten as (
         delete from ex_app_task_piece where task_id in (select id from finished)
       )
       select 1 from finished`,
      [id, error],
    );
    return rows.length > 0;
  }

  async failOverdue(): Promise<void> {
    await this.database.query(
      `with finished as (
         update ex_app_task set state = 'failed', error = $1, finished_at = now()
          where finished_at is null and state <> 'uploading' and deadline_at <= now() returning id
       )
       delete from ex_app_task_piece where task_id in (select id from finished)`,
      [TOOK_TOO_LONG],
    );
  }

  async forgetFinishedBefore(days: number): Promise<void> {
    await this.database.query(
      'delete from ex_app_task where finished_at < now() - make_interval(days => $1)',
      [days],
    );
  }

  /** Uploads that a process left in the middle. */
  async forgetAbandonedUploads(): Promise<void> {
    await this.database.query(
      `delete from ex_app_task where state = 'uploading' and deadline_at <= now()`,
    );
  }

  async remove(id: number): Promise<void> {
    await this.database.query('delete from ex_app_task where id = $1', [id]);
  }

  async removeOfUser(userId: string): Promise<void> {
    await this.database.query('delete from ex_app_task where user_id = $1', [userId]);
  }
}
