import type { Account } from '../../common/ports/user-directory.js';
import { routePattern } from './route-pattern.js';
import type { ExAppRoute } from './ex-app-routes.sql.js';

/**
 * The first declaration that matches path and verb decides; none after it is asked.
 *
 * @param plainPath decoded, without slashes in front
 * @returns null for a path that no declaration opens; an app without declarations opens nothing
 */
export function decidingRoute(
  declared: readonly ExAppRoute[],
  method: string,
  plainPath: string,
): ExAppRoute | null {
  // Whoever may have the contents may have their headers.
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

/** Apps write their expressions with and without a slash in front. */
function matches({ url }: ExAppRoute, plainPath: string): boolean {
  const pattern = routePattern(url);
  return pattern !== null && (pattern.matches(`/${plainPath}`) || pattern.matches(plainPath));
}
