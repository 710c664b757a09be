import { plainAddress } from '../../common/http/plain-address.js';

/** Where the pages are that send people to the login themselves. */
const NOT_AFTER_LOG_IN = /^\/(?:login|logout)(?:[?#]|$)/;

/**
 * A path below our own root to go on to after the login, taken from what an address asks for.
 *
 * @param wanted path and query, with or without the path prefix of the installation
 * @param baseUrl public address of the installation, whose path is the prefix
 * @returns null for whatever a browser could take for an address elsewhere, and for the login itself
 */
export function ownPath(wanted: string, baseUrl: string | undefined): string | null {
  // Browsers read "\" as "/", and leave out control characters before they look.
  if (!/^\/[!-~]*$/.test(wanted) || /^\/\/|\\/.test(wanted)) {
    return null;
  }
  const path = plainAddress(wanted, baseUrl);
  return NOT_AFTER_LOG_IN.test(path) ? null : path;
}
