import { isProxied } from './raw-bodies.js';

/** Longer than any address of an app's page; rules are matched against all of it. */
const LONGEST_PROXIED_PATH = 4096;

/**
 * Path and query of the target of a request, which may be a whole address of this host (RFC 9112,
 * section 3.2.2).
 *
 * @param host the `Host` header
 * @returns null for an address of another host
 */
export function originForm(target: string, host: string | undefined): string | null {
  const [, authority, rest = ''] = /^https?:\/\/([^/?]*)(.*)$/is.exec(target) ?? [];
  if (authority === undefined) {
    return target;
  }
  const isOurs = authority.toLowerCase() === host?.toLowerCase();
  return isOurs ? `${rest.startsWith('/') ? '' : '/'}${rest}` : null;
}

/**
 * Why a target could mean one thing here and another to a proxy before or an app behind the service;
 * null when it could not.
 *
 * @param target path and query in their plain form, see `plainAddress`
 */
export function faultOfTarget(target: string): string | null {
  const [path = ''] = target.split('?');
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u0020\u007f]/.test(target)) {
    return 'holds a blank or a control character';
  }
  if (target.includes('#')) {
    return 'holds a fragment';
  }
  if (path.includes('\\')) {
    return 'holds a backslash';
  }
  return isProxied(path) ? faultOfProxiedPath(path) : null;
}

/** Apps may decode, split and shorten a path in ways of their own, so nothing is left to them. */
function faultOfProxiedPath(path: string): string | null {
  if (path.length > LONGEST_PROXIED_PATH) {
    return `is longer than ${LONGEST_PROXIED_PATH} characters`;
  }
  if (/[^!-~]/.test(path)) {
    return 'holds a character that is not encoded';
  }
  if (/%(?![0-9a-f]{2})/i.test(path)) {
    return 'holds a percent sign that encodes nothing';
  }
  if (/;/.test(path)) {
    return 'holds a semicolon that is not encoded';
  }
  if (/%(?:2f|5c)/i.test(path)) {
    return 'holds an encoded slash or backslash';
  }
  if (/%(?:[01][0-9a-f]|7f)/i.test(path)) {
    return 'holds an encoded control character';
  }
  return /%25[0-9a-f]{2}/i.test(path) ? 'is encoded twice' : null;
}
