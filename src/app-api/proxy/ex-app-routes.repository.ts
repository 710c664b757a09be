import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { listRoutes, replaceRoutes, type ExAppRoute } from './ex-app-routes.sql.js';

/** The routes that apps declare for browsers. */
@Injectable()
export class ExAppRoutesRepository {
  constructor(private readonly database: Database) {}

  /** In the order of the declaration: the first route that matches path and verb decides. */
  async ofApp(appId: string): Promise<ExAppRoute[]> {
    return listRoutes(this.database, appId);
  }

  /** Replaces all routes of an app. */
  async replace(appId: string, routes: readonly ExAppRoute[]): Promise<void> {
    await this.database.transaction((tx) => replaceRoutes(tx, appId, routes));
  }
}
