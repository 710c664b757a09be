import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { replaceRoutes, ROW, type ExAppRoute } from './ex-app-routes.sql.js';

/** The routes that apps declare for browsers. */
@Injectable()
export class ExAppRoutesRepository {
  constructor(private readonly database: Database) {}

  /**
   * In the order of the declaration: the first route that matches path and verb decides. By primary key;
   * runs with every proxied request.
   */
  async ofApp(appId: string): Promise<ExAppRoute[]> {
    return this.database.query<ExAppRoute>(
      `select ${ROW} from ex_app_route r where r.app_id = $1 order by r.place`,
      [appId],
    );
  }

  /** Replaces all routes of an app. */
  async replace(appId: string, routes: readonly ExAppRoute[]): Promise<void> {
    await this.database.transaction((tx) => replaceRoutes(tx, appId, routes));
  }
}
