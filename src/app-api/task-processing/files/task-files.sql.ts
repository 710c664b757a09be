import type { SqlRunner } from '../../../database/database.js';

/** A complete file of a task, and whose task it is. */
export interface StoredTaskFile {
  readonly id: number;
  readonly taskId: number;
  readonly name: string;
  readonly mime: string;
  readonly sizeBytes: number;
  readonly userId: string | null;
  readonly consumer: string;
}

/** A file that begins to arrive. */
export interface NewTaskFile {
  readonly taskId: number;
  /** The app that must have claimed the task; null for a file of the input. */
  readonly appId: string | null;
  readonly name: string;
  readonly mime: string;
}

/** Of a task that can take files. */
const TAKES_FILES = `(($2::text is null and t.state = 'uploading')
  or (t.app_id = $2 and t.state in ('scheduled', 'running')))`;

/**
 * Locks the task, so that concurrent uploads cannot exceed the limit together. Needs a transaction.
 *
 * @returns false if the task takes no files now
 */
export async function lockForFile(
  tx: SqlRunner,
  { taskId, appId }: Pick<NewTaskFile, 'taskId' | 'appId'>,
): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from processing_task t where t.id = $1 and ${TAKES_FILES} for no key update`,
    [taskId, appId],
  );
  return rows.length > 0;
}

/** @returns undefined if the task has `most` files */
export async function insertFile(
  tx: SqlRunner,
  { taskId, name, mime }: NewTaskFile,
  most: number,
): Promise<number | undefined> {
  const [row] = await tx.query<{ id: number }>(
    `insert into processing_task_file (task_id, name, mime)
     select $1::bigint, $2::text, $3::text
      where (select count(*) from processing_task_file where task_id = $1) < $4
     returning id`,
    [taskId, name, mime, most],
  );
  return row?.id;
}

/** @returns false if the file is gone, with its task */
export async function insertPiece(
  runner: SqlRunner,
  fileId: number,
  place: number,
  bytes: Uint8Array,
): Promise<boolean> {
  const rows = await runner.query(
    `insert into processing_task_file_piece (file_id, place, bytes)
     select f.id, $2::int, $3::bytea from processing_task_file f where f.id = $1 for key share
     returning 1`,
    [fileId, place, bytes],
  );
  return rows.length > 0;
}

/** @returns false if the task takes no files any more */
export async function completeFile(
  runner: SqlRunner,
  fileId: number,
  appId: string | null,
  { sizeBytes, mime }: Pick<StoredTaskFile, 'sizeBytes' | 'mime'>,
): Promise<boolean> {
  const rows = await runner.query(
    `update processing_task_file f set size_bytes = $3, mime = $4
       from processing_task t where f.id = $1 and t.id = f.task_id and ${TAKES_FILES}
     returning 1`,
    [fileId, appId, sizeBytes, mime],
  );
  return rows.length > 0;
}

export async function findFiles(
  runner: SqlRunner,
  ids: readonly number[],
): Promise<StoredTaskFile[]> {
  return runner.query<StoredTaskFile>(
    `select f.id, f.task_id as "taskId", f.name, f.mime, f.size_bytes as "sizeBytes",
            t.user_id as "userId", t.consumer
       from processing_task_file f join processing_task t on t.id = f.task_id
      where f.id = any($1::bigint[]) and f.size_bytes is not null`,
    [ids],
  );
}
