/** Below these, browsers talk to external apps. */
const PROXIED = /^\/(?:apps\/app_api\/proxy|exapps)\//i;

/** Signatures are over the bytes of the body. */
const SIGNED = /^(?:\/ocs\/v[12]\.php)?\/apps\/app_api\/api\/v1\/talk_proxy\//i;

/**
 * Whether a body is left unread at the edge, for a route that passes it on or reads it itself.
 *
 * @param path in its plain form, see `plainAddress`
 */
export function hasRawBody(path: string): boolean {
  return PROXIED.test(path) || SIGNED.test(path);
}

/** Whether a body may take as long to arrive as it needs: it is for an app, not for us. */
export function maySendSlowly(path: string): boolean {
  return PROXIED.test(path);
}
