import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { ExAppRouteEntity } from './ex-app-route.entity.js';

/** Columns of the route `r`. */
export const ROW = selectList(ExAppRouteEntity, 'r', [
  'url',
  'verb',
  'accessLevel',
  'headersToExclude',
  'bruteforceStatuses',
]);

/** A path of an app that the proxy opens to browsers. */
export type ExAppRoute = RowOf<typeof ROW>;

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
