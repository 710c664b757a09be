import { GATEWAY_VERSION } from '../host/gateway-version.js';
import type { ExApp } from '../apps/ex-apps.repository.js';

/** Headers of the protocol between gateway and apps; never taken over from anybody else. */
export const GATEWAY_HEADERS = [
  'aa-version',
  'ex-app-id',
  'ex-app-version',
  'authorization-app-api',
  'aa-request-id',
] as const;

/**
 * What a request to an app carries, so that the app knows it comes from its gateway and for whom.
 *
 * @param userId the acting user; empty for the gateway's own business
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
