import type { Account } from '../../common/ports/user-directory.js';
import type { ExAppRoute } from '../apps/routes/ex-app-routes.repository.js';
import { routePattern } from '../apps/routes/route-pattern.js';
import { decoded, DEEPEST_ENCODING } from './proxy-address.js';

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

const LIFECYCLE_ROUTES = ['enabled', 'heartbeat', 'init'];

/**
 * Whether a path of an app is reserved for the gateway: a lifecycle route or a registered handler. Apps
 * trust requests there, so browsers never reach them, even if the app declares routes for them.
 *
 * Servers differ in which spellings they treat as the same path. All spellings that any common server
 * treats as equal are reserved together.
 *
 * @param plainPath decoded, without a query
 * @param handlers as registered, with or without slash and query
 */
export function isForGatewayAlone(plainPath: string, handlers: readonly string[]): boolean {
  const asked = comparable(plainPath);
  return [...LIFECYCLE_ROUTES, ...handlers].some((path) => comparable(path) === asked);
}

/** Normalizes case, slashes, encodings, path parameters and query. */
function comparable(path: string): string {
  return fullyDecoded(path)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[?#].*$/s, '')
    .split(/[/\\]/)
    .map((segment) => segment.replace(/;.*$/s, '').trim())
    .filter((segment) => segment !== '')
    .join('/');
}

function fullyDecoded(path: string, depth = 0): string {
  const deeper = decoded(path) ?? path;
  return deeper === path || depth === DEEPEST_ENCODING ? deeper : fullyDecoded(deeper, depth + 1);
}
