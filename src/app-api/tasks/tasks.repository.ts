import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';
import { ExAppTaskPieceEntity } from './ex-app-task-piece.entity.js';
import { ExAppTaskEntity, type TaskState } from './ex-app-task.entity.js';
import {
  countTasksByState,
  deleteAbandonedUploads,
  deleteFinishedTasks,
  failOverdueTasks,
  failTask,
  findTask,
  finishOwnTask,
  finishTask,
  insertTask,
  listTasksOf,
  markTaskRunning,
  queueTask,
  recordingBytes,
  recordTaskProgress,
  setProcessingTask,
  type NewTask,
  type OwnTasks,
  type Task,
  type TaskOfApp,
} from './tasks.sql.js';

/**
 * Tasks of providers. A task whose deadline has passed is failed before anything else is read or
 * changed.
 */
@Injectable()
export class TasksRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param mostUnfinished of the user's tasks, with this one
   * @param tx a transaction
   * @returns null if the limit is reached
   */
  async create(task: NewTask, mostUnfinished: number, tx: SqlRunner): Promise<Task | null> {
    return (await insertTask(tx, task, mostUnfinished)) ?? null;
  }

  async find(id: number): Promise<Task | null> {
    await this.failOverdue();
    return (await findTask(this.database, id)) ?? null;
  }

  /** Newest first, without uploads in progress. */
  async ofUser(own: OwnTasks, limit: number): Promise<Task[]> {
    await this.failOverdue();
    return listTasksOf(this.database, own, limit);
  }

  async countByState(): Promise<{ readonly state: TaskState; readonly count: number }[]> {
    await this.failOverdue();
    return countTasksByState(this.database);
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
    return recordingBytes(this.database, taskId);
  }

  /** Ends an upload and starts the clock of the deadline. @returns null if it is not uploading */
  async queue(id: number, maxSeconds: number, tx: SqlRunner): Promise<Task | null> {
    return (await queueTask(tx, id, maxSeconds)) ?? null;
  }

  /** The app has been told. */
  async markRunning(id: number): Promise<void> {
    await markTaskRunning(this.database, id);
  }

  /** Ignored for a finished task. @returns false if the app has no such task */
  async recordProgress(task: TaskOfApp, progress: number): Promise<boolean> {
    await this.failOverdue();
    return recordTaskProgress(this.database, task, progress);
  }

  /** The first report counts. @returns false if the app has no such task */
  async finish(task: TaskOfApp, report: Pick<Task, 'result' | 'error'>): Promise<boolean> {
    await this.failOverdue();
    return finishTask(this.database, task, report);
  }

  /** Names the task of task processing that does the work; it may have ended already. */
  async setProcessingTask(id: number, processingTaskId: number): Promise<void> {
    await setProcessingTask(this.database, id, processingTaskId);
  }

  /** Finishes a task of the user that task processing did; ignored for a finished one. */
  readonly finishOwn = finishOwnTask;

  /** @returns false for a finished task, which is not changed */
  async fail(id: number, error: string): Promise<boolean> {
    return failTask(this.database, id, error);
  }

  async failOverdue(): Promise<void> {
    await failOverdueTasks(this.database);
  }

  async deleteFinished(olderThanDays: number): Promise<void> {
    await deleteFinishedTasks(this.database, olderThanDays);
  }

  /** Deletes uploads that were interrupted by the end of a process. */
  async deleteAbandonedUploads(): Promise<void> {
    await deleteAbandonedUploads(this.database);
  }

  async remove(id: number): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(ExAppTaskEntity, { id }));
  }

  async removeOfUser(userId: string): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(ExAppTaskEntity, { userId }));
  }
}
