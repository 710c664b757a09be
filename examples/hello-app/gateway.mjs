import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import process from 'node:process';

const { APP_ID, APP_SECRET, APP_VERSION = '1.0.0', NEXTCLOUD_URL } = process.env;

const ROOT = (NEXTCLOUD_URL ?? '').replace(/\/(index\.php\/?)?$/, '');

/** The gateway headers of a request, on behalf of a user or of nobody. */
export function credentials(userId = '') {
  return {
    'ex-app-id': APP_ID,
    'ex-app-version': APP_VERSION,
    'authorization-app-api': Buffer.from(`${userId}:${APP_SECRET}`).toString('base64'),
  };
}

/** Address of a route of the host, for example of its files. */
export function hostAddress(path) {
  return `${ROOT}${path}`;
}

/**
 * Calls the gateway: POST, GET, PUT or DELETE of a path below `apps/app_api`.
 *
 * @param userId the acting user; default: none
 * @returns the `data` of the answer
 */
export function gateway(method, path, body, userId = '') {
  return ocs(method, `/apps/app_api${path}`, body, userId);
}

/**
 * The same below `/ocs/v1.php`, the root of all routes for apps.
 *
 * @returns the `data` of the answer; null if it has no body
 */
export async function ocs(method, path, body, userId = '') {
  const response = await fetch(hostAddress(`/ocs/v1.php${path}`), {
    method,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      ...credentials(userId),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (response.status === 204) {
    return null;
  }
  const { ocs: answer } = await response.json();
  if (answer.meta.status !== 'ok') {
    throw new Error(`${method} ${path}: ${answer.meta.statuscode} ${answer.meta.message}`);
  }
  return answer.data;
}

/**
 * Verifies that a request comes from the gateway.
 *
 * @returns the acting user, empty if there is none; null if the request is not from the gateway
 */
export function callerOf(request) {
  const header = request.headers['authorization-app-api'] ?? '';
  const [userId, ...rest] = Buffer.from(header, 'base64').toString('utf8').split(':');
  const [given, ours] = [Buffer.from(rest.join(':')), Buffer.from(APP_SECRET)];
  const genuine =
    request.headers['ex-app-id'] === APP_ID &&
    given.length === ours.length &&
    timingSafeEqual(given, ours);
  return genuine ? userId : null;
}
