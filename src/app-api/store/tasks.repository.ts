import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';

export type TaskKind = 'translation' | 'text_processing' | 'speech_to_text';

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
  readonly state: 'running' | 'done' | 'failed';
  readonly result: string;
  /** Empty while all is well. */
  readonly error: string;
  /** Whole seconds until the deadline; 0 or less when it has passed. */
  readonly secondsLeft: number;
}

/** What the provider is to work on, by the names it knows. */
export type TaskInput = Readonly<Record<string, string | null>>;

export type NewTask = Pick<Task, 'appId' | 'kind' | 'providerName' | 'userId' | 'input'> & {
  readonly note?: Task['note'];
  readonly file?: Uint8Array;
  readonly maxSeconds: number;
};

/** What a provider says about a task in the end; `error` is empty unless it failed. */
export interface TaskReport {
  readonly result: string;
  readonly error: string;
}

const COLUMNS = `
  id, app_id as "appId", kind, provider_name as "providerName", coalesce(user_id, '') as "userId",
  input, note, state, coalesce(result, '') as result, coalesce(error, '') as error,
  floor(extract(epoch from deadline_at - now()))::int as "secondsLeft"`;

/** A task whose deadline has passed is failed, whether or not anybody has noted it yet. */
const TOOK_TOO_LONG = 'The provider did not report a result in time.';

/** Tasks of providers and what became of them. */
@Injectable()
export class TasksRepository {
  constructor(private readonly database: Database) {}

  async create(task: NewTask, tx: SqlRunner): Promise<Task> {
    const [row] = await tx.query<Task>(
      `insert into ex_app_task (app_id, kind, provider_name, user_id, input, note, file, deadline_at)
       values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8)) returning ${COLUMNS}`,
      [
        task.appId,
        task.kind,
        task.providerName,
        task.userId,
        JSON.stringify(task.input),
        JSON.stringify(task.note ?? {}),
        task.file ?? null,
        task.maxSeconds,
      ],
    );
    if (row === undefined) {
      throw new Error(`The task for ${task.appId} was not saved`);
    }
    return row;
  }

  async find(id: number): Promise<Task | null> {
    await this.failOverdue();
    const [row] = await this.database.query<Task>(
      `select ${COLUMNS} from ex_app_task where id = $1`,
      [id],
    );
    return row ?? null;
  }

  /** The recording of a task that is not finished. */
  async file(id: number): Promise<Buffer | null> {
    const [row] = await this.database.query<{ file: Buffer | null }>(
      'select file from ex_app_task where id = $1',
      [id],
    );
    return row?.file ?? null;
  }

  /**
   * The first report counts; what comes later changes nothing.
   *
   * @returns false when the app was never given such a task
   */
  async report(appId: string, kind: TaskKind, id: number, report: TaskReport): Promise<boolean> {
    await this.failOverdue();
    const rows = await this.database.query(
      `with own as (
         select id from ex_app_task where id = $1 and app_id = $2 and kind = $3
       ), finished as (
         update ex_app_task set state = $4, result = $5, error = $6, file = null, finished_at = now()
          where id in (select id from own) and state = 'running'
       )
       select 1 from own`,
      [id, appId, kind, report.error === '' ? 'done' : 'failed', report.result, report.error],
    );
    return rows.length > 0;
  }

  /** Does nothing to a task that is finished. */
  async fail(id: number, error: string): Promise<void> {
    await this.database.query(
      `update ex_app_task set state = 'failed', error = $2, file = null, finished_at = now()
        where id = $1 and state = 'running'`,
      [id, error],
    );
  }

  async failOverdue(): Promise<void> {
    await this.database.query(
      `update ex_app_task set state = 'failed', error = $1, file = null, finished_at = now()
        where state = 'running' and deadline_at <= now()`,
      [TOOK_TOO_LONG],
    );
  }

  async forgetFinishedBefore(days: number): Promise<void> {
    await this.database.query(
      'delete from ex_app_task where finished_at < now() - make_interval(days => $1)',
      [days],
    );
  }

  async remove(id: number): Promise<void> {
    await this.database.query('delete from ex_app_task where id = $1', [id]);
  }

  async removeOfUser(userId: string): Promise<void> {
    await this.database.query('delete from ex_app_task where user_id = $1', [userId]);
  }
}
