import type { IncomingMessage } from 'node:http';
import { BASIC_CHALLENGE } from './basic-authenticator.js';

/**
 * The challenge to send along with a 401.
 *
 * @returns null for scripts in pages: the browser would ask for a password in a window of its own,
 *   over the page that knows better
 */
export function challengeFor({ headers }: Pick<IncomingMessage, 'headers'>): string | null {
  const mode = headers['sec-fetch-mode'];
  const isScript =
    (mode !== undefined && mode !== 'navigate') ||
    String(headers['x-requested-with']).toLowerCase() === 'xmlhttprequest';
  return isScript ? null : BASIC_CHALLENGE;
}
