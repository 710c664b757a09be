import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { ProcessingTaskNotFound, TooManyTaskFiles } from '../task-processing.errors.js';
import { ProcessingTaskFilePieceEntity } from './processing-task-file-piece.entity.js';
import { ProcessingTaskFileEntity } from './processing-task-file.entity.js';
import {
  completeFile,
  findFiles,
  insertFile,
  insertPiece,
  lockForFile,
  type NewTaskFile,
  type StoredTaskFile,
} from './task-files.sql.js';

/** Files of tasks, in pieces. */
@Injectable()
export class TaskFilesRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param most files of the task, with this one
   * @returns the id
   * @throws ProcessingTaskNotFound if the task takes no files now; TooManyTaskFiles
   */
  async create(file: NewTaskFile, most: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      if (!(await lockForFile(tx, file))) {
        throw new ProcessingTaskNotFound(file.taskId);
      }
      const id = await insertFile(tx, file, most);
      if (id === undefined) {
        throw new TooManyTaskFiles(most);
      }
      return id;
    });
  }

  /**
   * @param place counts from 0 without gaps
   * @returns false if the file is gone, with its task
   */
  async addPiece(fileId: number, place: number, bytes: Uint8Array): Promise<boolean> {
    return insertPiece(this.database, fileId, place, bytes);
  }

  /** @returns false if the task takes no files any more */
  async complete(
    fileId: number,
    appId: string | null,
    content: Pick<StoredTaskFile, 'sizeBytes' | 'mime'>,
  ): Promise<boolean> {
    return completeFile(this.database, fileId, appId, content);
  }

  /** Complete ones, in any order. */
  async find(ids: readonly number[]): Promise<StoredTaskFile[]> {
    return findFiles(this.database, ids);
  }

  /** Null after the last piece, or when the file is gone. */
  async piece(fileId: number, place: number): Promise<Uint8Array | null> {
    const piece = await this.database.entities((em) =>
      em.findOne(
        ProcessingTaskFilePieceEntity,
        { fileId, place },
        { fields: ['bytes'], disableIdentityMap: true },
      ),
    );
    return piece?.bytes ?? null;
  }

  async remove(id: number): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(ProcessingTaskFileEntity, { id }));
  }
}
