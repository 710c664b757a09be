/**
 * Prefix of the host's cookies. External apps share the origin, but neither receive these cookies nor
 * set them.
 */
const HOST_COOKIE = /^(?:__(?:Host|Secure)-)?gatefold[-_]/i;

/** A `Cookie` header without the host's cookies; undefined if none is left. */
export function foreignCookies(header: string | undefined): string | undefined {
  const cookies = (header ?? '').split(';').map((cookie) => cookie.trim());
  const foreign = cookies.filter((cookie) => cookie !== '' && !HOST_COOKIE.test(cookie));
  return foreign.length === 0 ? undefined : foreign.join('; ');
}

/** @param setCookie one `Set-Cookie` header */
export function setsHostCookie(setCookie: string): boolean {
  return HOST_COOKIE.test(setCookie.trimStart());
}
