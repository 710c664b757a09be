import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';
import { ProcessingTaskNotFound, TooManyTaskFiles } from '../task-processing.errors.js';

/** A part of a task's file; `place` counts from 0 without gaps. */
export class ProcessingTaskFilePieceEntity extends entityOf('processing_task_file_piece', {
  fileId: p.bigint('number').primary(),
  place: p.integer().primary(),
  bytes: p.blob(),
}) {}

/** A file that belongs to a task, outside the folders of users. */
export class ProcessingTaskFileEntity extends entityOf('processing_task_file', {
  /** Starts at 10^12, above the ids of users' files. */
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  taskId: p.bigint('number'),
  name: p.text(),
  mime: p.text(),
  /** Null until the upload is complete. */
  sizeBytes: p.bigint('number').strictNullable(),
}) {}

/** A complete file of a task, and the task's owner. */
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
interface NewTaskFile {
  readonly taskId: number;
  /** The app that must have claimed the task; null for a file of the input. */
  readonly appId: string | null;
  readonly name: string;
  readonly mime: string;
}

/** Selects a task that can take files. */
const TAKES_FILES = `(($2::text is null and t.state = 'uploading')
  or (t.app_id = $2 and t.state in ('scheduled', 'running')))`;

/** Files of tasks, in pieces. */
@Injectable()
export class TaskFilesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Locks the task, so that concurrent uploads cannot exceed the limit together.
   *
   * @param most files of the task, with this one
   * @returns the id
   * @throws ProcessingTaskNotFound if the task takes no files now; TooManyTaskFiles
   */
  async create({ taskId, appId, name, mime }: NewTaskFile, most: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      const tasks = await tx.query(
        `select 1 from processing_task t where t.id = $1 and ${TAKES_FILES} for no key update`,
        [taskId, appId],
      );
      if (tasks.length === 0) {
        throw new ProcessingTaskNotFound(taskId);
      }
      const [row] = await tx.query<{ id: number }>(
        `insert into processing_task_file (task_id, name, mime)
         select $1::bigint, $2::text, $3::text
          where (select count(*) from processing_task_file where task_id = $1) < $4
         returning id`,
        [taskId, name, mime, most],
      );
      if (row === undefined) {
        throw new TooManyTaskFiles(most);
      }
      return row.id;
    });
  }

  /**
   * @param place counts from 0 without gaps
   * @returns false if the file was deleted with its task
   */
  async addPiece(fileId: number, place: number, bytes: Uint8Array): Promise<boolean> {
    const rows = await this.database.query(
      `insert into processing_task_file_piece (file_id, place, bytes)
       select f.id, $2::int, $3::bytea from processing_task_file f where f.id = $1 for key share
       returning 1`,
      [fileId, place, bytes],
    );
    return rows.length > 0;
  }

  /** @returns false if the task takes no files any more */
  async complete(
    fileId: number,
    appId: string | null,
    { sizeBytes, mime }: Pick<StoredTaskFile, 'sizeBytes' | 'mime'>,
  ): Promise<boolean> {
    const rows = await this.database.query(
      `update processing_task_file f set size_bytes = $3, mime = $4
         from processing_task t where f.id = $1 and t.id = f.task_id and ${TAKES_FILES}
       returning 1`,
      [fileId, appId, sizeBytes, mime],
    );
    return rows.length > 0;
  }

  /** Complete ones, in any order. */
  async find(ids: readonly number[]): Promise<StoredTaskFile[]> {
    return this.database.query<StoredTaskFile>(
      `select f.id, f.task_id as "taskId", f.name, f.mime, f.size_bytes as "sizeBytes",
              t.user_id as "userId", t.consumer
         from processing_task_file f join processing_task t on t.id = f.task_id
        where f.id = any($1::bigint[]) and f.size_bytes is not null`,
      [ids],
    );
  }

  /** Null after the last piece, or when the file was deleted. */
  async piece(fileId: number, place: number): Promise<Uint8Array | null> {
    const piece = await this.database.entities((em) =>
      em.findOne(ProcessingTaskFilePieceEntity, { fileId, place }, { fields: ['bytes'] }),
    );
    return piece?.bytes ?? null;
  }

  async removeOf(taskId: number, tx: SqlRunner): Promise<void> {
    await tx.query('delete from processing_task_file where task_id = $1', [taskId]);
  }

  async remove(id: number): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(ProcessingTaskFileEntity, { id }));
  }
}
