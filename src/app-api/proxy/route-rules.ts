import type { Account } from '../../common/ports/user-directory.js';
import { routePattern } from '../apps/routes/route-pattern.js';
import type { ExAppRoute } from '../apps/routes/ex-app-routes.sql.js';

/**
 * The first route that matches path and verb decides.
 *
 * @param plainPath decoded, without leading slashes
 * @returns null if no route matches
 */
export function decidingRoute(
  declared: readonly ExAppRoute[],
  method: string,
  plainPath: string,
): ExAppRoute | null {
  // HEAD is allowed wherever GET is.
  const verb = method === 'HEAD' ? 'GET' : method;
  return declared.find((route) => allowsVerb(route, verb) && matches(route, plainPath)) ?? null;
}

export function mayPass({ accessLevel }: ExAppRoute, account: Account | undefined): boolean {
  if (accessLevel === 0) {
    return true;
  }
  return account !== undefined && (accessLevel === 1 || account.isAdmin);
}

function allowsVerb({ verb }: ExAppRoute, method: string): boolean {
  return verb
    .toUpperCase()
    .split(/[\s,|]+/)
    .includes(method);
}

/** Apps write patterns with and without leading slash. */
function matches({ url }: ExAppRoute, plainPath: string): boolean {
  const pattern = routePattern(url);
  return pattern !== null && (pattern.matches(`/${plainPath}`) || pattern.matches(plainPath));
}
