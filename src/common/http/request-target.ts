/** Longer than any path of an app; regular expressions match all of it. */
const LONGEST_STRICT_PATH = 4096;

/**
 * Path and query of a request target, which may be an absolute URL of this host (RFC 9112, section
 * 3.2.2).
 *
 * @param host the `Host` header
 * @returns null for another host
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
 * Why proxies or external apps might interpret a target differently; null if unambiguous.
 *
 * @param target normalised path and query, see `plainAddress`
 * @param isStrict whether a path is proxied to servers that may decode it differently
 */
export function faultOfTarget(target: string, isStrict: (path: string) => boolean): string | null {
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
  if (path.includes('%00') && !path.startsWith('/remote.php/')) {
    // No id or name contains one, and PostgreSQL cannot store it. WebDAV refuses it in its own format.
    return 'holds an encoded zero byte';
  }
  return isStrict(path) ? faultOfStrictPath(path) : null;
}

/** Apps may decode, split and normalise a path differently, so ambiguous ones are rejected. */
function faultOfStrictPath(path: string): string | null {
  if (path.length > LONGEST_STRICT_PATH) {
    return `is longer than ${LONGEST_STRICT_PATH} characters`;
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
