import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';

/** 0 everybody, 1 users who are logged in, 2 administrators. */
export type AccessLevel = 0 | 1 | 2;

/** Paths of an app that the browser proxy lets through, as the app declared them. */
export interface ExAppRoute {
  /** A regular expression for the path; checked to be harmless when it was registered. */
  readonly url: string;
  /** Verbs in upper case, separated by commas: `GET,POST`. */
  readonly verb: string;
  readonly accessLevel: AccessLevel;
  /** Names in lower case of request headers that are kept from the app. */
  readonly headersToExclude: readonly string[];
  /** Statuses of the app's answers that count as a failed log-in. */
  readonly bruteforceStatuses: readonly number[];
}

/** What apps declared about their paths, in the order of the declaration. */
@Injectable()
export class ExAppRoutesRepository {
  constructor(private readonly database: Database) {}

  /** In order: the first one that matches path and verb decides. */
  async ofApp(appId: string): Promise<ExAppRoute[]> {
    return this.database.query<ExAppRoute>(
      `select url, verb, access_level as "accessLevel", headers_to_exclude as "headersToExclude",
              bruteforce_statuses as "bruteforceStatuses"
         from ex_app_route where app_id = $1 order by place`,
      [appId],
    );
  }

  /** The new declaration replaces the whole of the old one. */
  async replace(appId: string, routes: readonly ExAppRoute[]): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query('delete from ex_app_route where app_id = $1', [appId]);
      await insertRoutes(tx, appId, routes);
    });
  }
}

/** For a transaction that writes the app itself too. */
export async function insertRoutes(
  tx: SqlRunner,
  appId: string,
  routes: readonly ExAppRoute[],
): Promise<void> {
  for (const [place, route] of routes.entries()) {
    await tx.query(
      `insert into ex_app_route
         (app_id, place, url, verb, access_level, headers_to_exclude, bruteforce_statuses)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        appId,
        place,
        route.url,
        route.verb,
        route.accessLevel,
        [...route.headersToExclude],
        [...route.bruteforceStatuses],
      ],
    );
  }
}
