import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import type { SlotValues } from './processing-task.entity.js';
import {
  cancelScheduledTasks,
  cancelTask,
  claimTasks,
  endTask,
  existsUnfinished,
  failLostTasks,
  failOverdueTasks,
  findTask,
  findTaskOfApp,
  giveBackEndedLeases,
  insertTask,
  listFileIdsOf,
  listScheduledTypes,
  listWaitingTypes,
  recordProgress,
  storeIntermediateOutput,
  type ClaimBounds,
  type ClaimOffer,
  type NewProcessingTask,
  type ProcessingTask,
  type TaskEnd,
} from './processing-tasks.sql.js';

/** Tasks of task processing. */
@Injectable()
export class ProcessingTasksRepository {
  constructor(private readonly database: Database) {}

  /** @param longestHours until the task fails unless it has ended */
  async create(
    tx: SqlRunner,
    task: NewProcessingTask,
    longestHours: number,
  ): Promise<ProcessingTask> {
    const created = await insertTask(tx, task, longestHours);
    if (created === undefined) {
      throw new Error(`A task of the type ${task.type} was not stored.`);
    }
    return created;
  }

  /** Whoever it belongs to; without uploads in progress. */
  async find(id: number): Promise<ProcessingTask | null> {
    return (await findTask(this.database, id)) ?? null;
  }

  /** A task that the app claimed last. */
  async ofApp(appId: string, id: number): Promise<ProcessingTask | null> {
    return (await findTaskOfApp(this.database, appId, id)) ?? null;
  }

  /** Oldest first. */
  async claim(
    appId: string,
    offers: readonly ClaimOffer[],
    bounds: ClaimBounds,
  ): Promise<ProcessingTask[]> {
    return claimTasks(this.database, appId, offers, bounds);
  }

  /** Those of the types that have a scheduled task. */
  async scheduledTypes(types: readonly string[]): Promise<string[]> {
    return listScheduledTypes(this.database, types);
  }

  /** Whether any task is scheduled or running. */
  async anyUnfinished(): Promise<boolean> {
    return existsUnfinished(this.database);
  }

  /** Types whose tasks have been scheduled for some time. */
  async waitingTypes(seconds: number): Promise<string[]> {
    return listWaitingTypes(this.database, seconds);
  }

  /** @returns null unless the app has claimed it last and it is unfinished */
  async recordProgress(
    appId: string,
    id: number,
    progress: number,
  ): Promise<ProcessingTask | null> {
    return (await recordProgress(this.database, appId, id, progress)) ?? null;
  }

  /** @returns null unless the app is working on the task and the consumer wants streaming */
  async storeIntermediateOutput(
    appId: string,
    id: number,
    output: SlotValues,
  ): Promise<ProcessingTask | null> {
    return (await storeIntermediateOutput(this.database, appId, id, output)) ?? null;
  }

  /** Ids of the files that were uploaded for a task, without uploads in progress. */
  async fileIdsOf(taskId: number): Promise<number[]> {
    return listFileIdsOf(this.database, taskId);
  }

  /** @returns the task if it ended now, else null */
  async end(
    tx: SqlRunner,
    appId: string,
    id: number,
    end: TaskEnd,
  ): Promise<ProcessingTask | null> {
    return (await endTask(tx, appId, id, end)) ?? null;
  }

  /** @returns the task if it was unfinished, else null */
  async cancel(tx: SqlRunner, id: number): Promise<ProcessingTask | null> {
    return (await cancelTask(tx, id)) ?? null;
  }

  /** @returns the tasks that were cancelled, at most `most` */
  readonly cancelScheduled = cancelScheduledTasks;

  /** @param mostAttempts tasks with more claims are left */
  async giveBackEndedLeases(mostAttempts: number): Promise<ProcessingTask[]> {
    return giveBackEndedLeases(this.database, mostAttempts);
  }

  /** @returns the tasks that failed now */
  readonly failOverdue = failOverdueTasks;
  /** @returns the tasks that failed now */
  readonly failLost = failLostTasks;
}
