import { GATEWAY_VERSION } from '../host/gateway-version.js';
import type { ExApp } from '../apps/ex-apps.repository.js';

/** Headers of the protocol; never forwarded from clients. */
export const GATEWAY_HEADERS = [
  'aa-version',
  'ex-app-id',
  'ex-app-version',
  'authorization-app-api',
  'aa-request-id',
] as const;

/**
 * Headers that authenticate the gateway to an app and name the acting user.
 *
 * @param userId the acting user; empty for requests of the gateway itself
 * @see docs/app-api.md "Authentication"
 */
export function gatewayHeaders(
  app: Pick<ExApp, 'appId' | 'version' | 'secret'>,
  userId: string,
  requestId: string,
): Record<(typeof GATEWAY_HEADERS)[number], string> {
  return {
    'aa-version': GATEWAY_VERSION,
    'ex-app-id': app.appId,
    'ex-app-version': app.version,
    'authorization-app-api': Buffer.from(`${userId}:${app.secret}`).toString('base64'),
    'aa-request-id': requestId,
  };
}
