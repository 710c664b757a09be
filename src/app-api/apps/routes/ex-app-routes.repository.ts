import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';
import { type RowOf, selectList } from '../../../database/select-list.js';

/** 0 public, 1 users, 2 administrators. */
export type AccessLevel = 0 | 1 | 2;

/** A path of an app that the proxy opens to browsers, as the app declared it. */
export class ExAppRouteEntity extends entityOf('ex_app_route', {
  appId: p.text().primary(),
  /** The first route that matches decides. */
  place: p.integer().primary(),
  /** RE2 pattern for the path; validated when it was registered. */
  url: p.text(),
  /** Upper case, separated by commas: `GET,POST`. */
  verb: p.text(),
  accessLevel: p.smallint().$type<AccessLevel>(),
  /** Request headers that are withheld from the app; lower case. */
  headersToExclude: p.array().$type<readonly string[]>().defaultRaw("'{}'::text[]"),
  /** Response statuses that count as a failed login. */
  bruteforceStatuses: p
    .array()
    .columnType('int[]')
    .$type<readonly number[]>()
    .defaultRaw("'{}'::integer[]"),
}) {}

/** Columns of the route `r`. */
const ROW = selectList(ExAppRouteEntity, 'r', [
  'url',
  'verb',
  'accessLevel',
  'headersToExclude',
  'bruteforceStatuses',
]);

/** A path of an app that the proxy opens to browsers. */
export type ExAppRoute = RowOf<typeof ROW>;

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

/** Needs a transaction. */
export async function replaceRoutes(
  tx: SqlRunner,
  appId: string,
  routes: readonly ExAppRoute[],
): Promise<void> {
  await tx.query('delete from ex_app_route where app_id = $1', [appId]);
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
