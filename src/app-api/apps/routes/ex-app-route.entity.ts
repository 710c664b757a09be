import { entityOf, p } from '../../../database/entity-of.js';

/** 0 everybody, 1 users, 2 administrators. */
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
