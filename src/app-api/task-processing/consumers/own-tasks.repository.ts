import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import type { SlotValues } from '../queue/processing-task.entity.js';
import type { ProcessingTask } from '../queue/processing-tasks.sql.js';
import {
  countUnfinished,
  deleteExcess,
  deleteOldTasks,
  deleteOwnTask,
  deleteTasksOf,
  deleteUpload,
  findOwnTask,
  listOwnTasks,
  lockOwner,
  scheduleUploaded,
  type TaskFilter,
  type TaskOwner,
} from './own-tasks.sql.js';

const MOST_LISTED = 200;
const MOST_LISTED_BYTES = 16 * 1024 * 1024;

/** Tasks of one owner: a user, or an app that scheduled them for itself. */
@Injectable()
export class OwnTasksRepository {
  constructor(private readonly database: Database) {}

  /**
   * Makes room for one more task, which has to be stored in the same transaction. Ended tasks beyond
   * a number are deleted, oldest first.
   *
   * @returns false if the owner has `mostUnfinished`
   */
  async makeRoom(
    tx: SqlRunner,
    owner: TaskOwner,
    mostUnfinished: number,
    mostEnded: number,
  ): Promise<boolean> {
    await lockOwner(tx, owner);
    if ((await countUnfinished(tx, owner)) >= mostUnfinished) {
      return false;
    }
    await deleteExcess(tx, owner, mostEnded);
    return true;
  }

  async find(owner: TaskOwner, id: number): Promise<ProcessingTask | null> {
    return (await findOwnTask(this.database, owner, id)) ?? null;
  }

  /** Newest first, without uploads in progress: at most 200, and fewer if they are large. */
  async list(owner: TaskOwner, filter: TaskFilter): Promise<ProcessingTask[]> {
    return listOwnTasks(this.database, owner, filter, MOST_LISTED, MOST_LISTED_BYTES);
  }

  /** With its files; ignored if there is none. */
  async remove(owner: TaskOwner, id: number): Promise<void> {
    await deleteOwnTask(this.database, owner, id);
  }

  async removeAllOf(owner: TaskOwner): Promise<void> {
    await deleteTasksOf(this.database, owner);
  }

  /** Ends the upload of a task's input. @returns null if it is not uploading */
  async scheduleUploaded(
    tx: SqlRunner,
    id: number,
    input: SlotValues,
    fileIds: readonly number[],
  ): Promise<ProcessingTask | null> {
    return (await scheduleUploaded(tx, id, input, fileIds)) ?? null;
  }

  /** Deletes a task whose upload failed. */
  async removeUpload(id: number): Promise<void> {
    await deleteUpload(this.database, id);
  }

  /** Deletes old ended tasks, and uploads that were interrupted by the end of a process. */
  async removeOld(endedDaysAgo: number, uploadingForSeconds: number): Promise<void> {
    await deleteOldTasks(this.database, endedDaysAgo, uploadingForSeconds);
  }
}
