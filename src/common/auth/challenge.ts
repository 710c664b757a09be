import type { IncomingMessage } from 'node:http';
import { BASIC_CHALLENGE } from './basic-authenticator.js';

/**
 * The `WWW-Authenticate` challenge of a 401.
 *
 * @returns null for scripts in pages, for which the browser would open a password dialog
 */
export function challengeFor({ headers }: Pick<IncomingMessage, 'headers'>): string | null {
  const mode = headers['sec-fetch-mode'];
  const isScript =
    (mode !== undefined && mode !== 'navigate') ||
    String(headers['x-requested-with']).toLowerCase() === 'xmlhttprequest';
  return isScript ? null : BASIC_CHALLENGE;
}
