/** Below these, browsers talk to external apps. */
const PROXIED = /^\/(?:apps\/app_api\/proxy|exapps)(?:\/|$)/i;

/** Signatures are over the bytes of the body. */
const SIGNED = /^(?:\/ocs\/v[12]\.php)?\/apps\/app_api\/api\/v1\/talk_proxy\//i;

/** Files of any size, and XML that is none of the edge's business. */
const DAV = /^\/remote\.php\//i;

/**
 * Whether a body is left unread at the edge, for a route that passes it on or reads it itself.
 *
 * @param path in its plain form, see `plainAddress`
 */
export function hasRawBody(path: string): boolean {
  return PROXIED.test(path) || SIGNED.test(path) || DAV.test(path);
}

/** Whether a request is for an external app, past the rules of the app's routes. */
export function isProxied(path: string): boolean {
  return PROXIED.test(path);
}

/** Whether a body may take as long to arrive as it needs: whoever takes it minds the time. */
export function maySendSlowly(method: string, path: string): boolean {
  return PROXIED.test(path) || (method === 'PUT' && DAV.test(path));
}
