import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { ProcessingState } from '../queue/processing-task.entity.js';
import {
  countTasksByState,
  countWatchedTasks,
  listProviderRegistrations,
  listTasksOfApp,
  listTypeFigures,
  listWatchedTasks,
  type ProviderRegistration,
  type TypeFigures,
  type WatchedTask,
  type WatchedTaskFilter,
} from './watched-tasks.sql.js';

/** Tasks of all users as administrators see them: never their input or output. */
@Injectable()
export class WatchedTasksRepository {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async list(filter: WatchedTaskFilter, limit: number, offset = 0): Promise<WatchedTask[]> {
    return listWatchedTasks(this.database, filter, limit, offset);
  }

  /** Tasks of task processing that the app claimed last, newest first. */
  async ofApp(appId: string, state: ProcessingState, limit: number): Promise<WatchedTask[]> {
    return listTasksOfApp(this.database, appId, state, limit);
  }

  async count(filter: WatchedTaskFilter): Promise<number> {
    return countWatchedTasks(this.database, filter);
  }

  /** By type; without types that have no unfinished task and none of the last 24 hours. */
  async figures(): Promise<ReadonlyMap<string, TypeFigures>> {
    const rows = await listTypeFigures(this.database);
    return new Map(rows.map((row) => [row.type, row]));
  }

  async countByState(): Promise<ReadonlyMap<ProcessingState, number>> {
    const rows = await countTasksByState(this.database);
    return new Map(rows.map(({ state, count }) => [state, count]));
  }

  /** Of all apps, enabled or not. */
  async providerRegistrations(): Promise<ProviderRegistration[]> {
    return listProviderRegistrations(this.database);
  }
}
