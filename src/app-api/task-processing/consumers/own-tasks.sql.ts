import type { SqlRunner } from '../../../database/database.js';
import type { SlotValues } from '../queue/processing-task.entity.js';
import { ROW, type ProcessingTask } from '../queue/processing-tasks.sql.js';

/** Whose a task is: a user's, or that of an app which scheduled it for itself. */
export interface TaskOwner {
  /** Null for an app. */
  readonly userId: string | null;
  /** The id of that app; ignored for a user. */
  readonly consumer: string;
}

/** Selects tasks of one owner; null selects all. */
export interface TaskFilter {
  readonly typeId: string | null;
  readonly customId: string | null;
  /** The `appId` that the consumer named. */
  readonly consumer: string | null;
}

/** The first half of an advisory lock; the second is the owner. */
const OWNER_LOCK = 4_706_043;

/** Of the owner in $1 and $2. */
const IS_OWN = `(t.user_id = $1 or ($1::text is null and t.user_id is null and t.consumer = $2))`;

const ofOwner = ({ userId, consumer }: TaskOwner) => [userId, consumer];

/** Keeps concurrent requests from exceeding a limit together. Needs a transaction. */
export async function lockOwner(tx: SqlRunner, { userId, consumer }: TaskOwner): Promise<void> {
  const owner = userId === null ? `app ${consumer}` : `user ${userId}`;
  await tx.query('select pg_advisory_xact_lock($1, hashtext($2))', [OWNER_LOCK, owner]);
}

export async function countUnfinished(tx: SqlRunner, owner: TaskOwner): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from processing_task t where ${IS_OWN} and t.ended_at is null`,
    ofOwner(owner),
  );
  return row?.count ?? 0;
}

/** Deletes the oldest ended tasks beyond a number. */
export async function deleteExcess(tx: SqlRunner, owner: TaskOwner, kept: number): Promise<void> {
  await tx.query(
    `delete from processing_task where id in
       (select t.id from processing_task t
         where ${IS_OWN} and t.ended_at is not null
         order by t.id desc offset $3)`,
    [...ofOwner(owner), kept],
  );
}

export async function findOwnTask(
  runner: SqlRunner,
  owner: TaskOwner,
  id: number,
): Promise<ProcessingTask | undefined> {
  const [row] = await runner.query<ProcessingTask>(
    `select ${ROW} from processing_task t where ${IS_OWN} and t.id = $3 and t.state <> 'uploading'`,
    [...ofOwner(owner), id],
  );
  return row;
}

/**
 * Newest first, without uploads in progress.
 *
 * @param mostBytes of their inputs and outputs together; one task is listed in any case
 */
export async function listOwnTasks(
  runner: SqlRunner,
  owner: TaskOwner,
  { typeId, customId, consumer }: TaskFilter,
  most: number,
  mostBytes: number,
): Promise<ProcessingTask[]> {
  return runner.query<ProcessingTask>(
    `with newest as (
       select t.id, row_number() over newer as place,
              sum(octet_length(t.input::text) + coalesce(octet_length(t.output::text), 0))
                over newer as bytes
         from processing_task t
        where ${IS_OWN} and t.state <> 'uploading'
          and ($3::text is null or t.type = $3)
          and ($4::text is null or t.custom_id = $4)
          and ($5::text is null or t.consumer = $5)
       window newer as (order by t.id desc)
        order by t.id desc limit $6
     )
     select ${ROW} from processing_task t join newest on newest.id = t.id
      where newest.place = 1 or newest.bytes <= $7
      order by t.id desc`,
    [...ofOwner(owner), typeId, customId, consumer, most, mostBytes],
  );
}

/** With its files; ignored if there is none. */
export async function deleteOwnTask(
  runner: SqlRunner,
  owner: TaskOwner,
  id: number,
): Promise<void> {
  await runner.query(
    `delete from processing_task t where ${IS_OWN} and t.id = $3 and t.state <> 'uploading'`,
    [...ofOwner(owner), id],
  );
}

export async function deleteTasksOf(runner: SqlRunner, owner: TaskOwner): Promise<void> {
  await runner.query(`delete from processing_task t where ${IS_OWN}`, ofOwner(owner));
}

/**
 * Ends the upload of a task's input.
 *
 * @returns undefined if it is not uploading
 */
export async function scheduleUploaded(
  tx: SqlRunner,
  id: number,
  input: SlotValues,
  fileIds: readonly number[],
): Promise<ProcessingTask | undefined> {
  const [row] = await tx.query<ProcessingTask>(
    `update processing_task t
        set state = 'scheduled', input = $2, file_ids = $3, scheduled_at = now(), changed_at = now()
      where t.id = $1 and t.state = 'uploading'
     returning ${ROW}`,
    [id, JSON.stringify(input), fileIds],
  );
  return row;
}

export async function deleteUpload(runner: SqlRunner, id: number): Promise<void> {
  await runner.query(`delete from processing_task where id = $1 and state = 'uploading'`, [id]);
}

/** Also deletes uploads that were interrupted by the end of a process. */
export async function deleteOldTasks(
  runner: SqlRunner,
  endedDaysAgo: number,
  uploadingForSeconds: number,
): Promise<void> {
  await runner.query(
    `delete from processing_task
      where ended_at < now() - make_interval(days => $1)
         or (state = 'uploading' and scheduled_at < now() - make_interval(secs => $2))`,
    [endedDaysAgo, uploadingForSeconds],
  );
}
