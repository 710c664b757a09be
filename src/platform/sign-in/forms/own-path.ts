import { plainAddress } from '../../../common/http/plain-address.js';

/** Pages that would redirect to the login again. */
const NOT_AFTER_LOG_IN = /^\/(?:login|logout)(?:[?#]|$)/;

/**
 * Validates the target of the redirect after the login. Prevents open redirects.
 *
 * @param wanted path and query, with or without the path prefix of the installation
 * @param baseUrl public address of the installation, whose path is the prefix
 * @returns null for what browsers may read as another origin, and for the login itself
 */
export function ownPath(wanted: string, baseUrl: string | undefined): string | null {
  // Browsers read "\" as "/" and drop control characters.
  if (!/^\/[!-~]*$/.test(wanted) || /^\/\/|\\/.test(wanted)) {
    return null;
  }
  const path = plainAddress(wanted, baseUrl);
  return NOT_AFTER_LOG_IN.test(path) ? null : path;
}
