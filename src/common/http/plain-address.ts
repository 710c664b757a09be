/** Prefix of an external app's paths. */
const PROXIED = /^\/(?:apps\/app_api\/proxy|exapps)\/[^/]+/i;

/**
 * Normalises the addresses that clients build: strips `/index.php` and the path prefix, and merges double
 * slashes, but not in paths of external apps.
 *
 * @param address path and query of the request line
 * @param baseUrl public address of the installation, whose path is the prefix
 */
export function plainAddress(address: string, baseUrl: string | undefined): string {
  const prefix = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');
  const [path = '', ...query] = address.split('?');
  const merged = path.replace(/\/{2,}/g, '/');
  let plain = merged;
  if (prefix !== '' && (plain === prefix || plain.startsWith(`${prefix}/`))) {
    plain = plain.slice(prefix.length);
  }
  plain = plain.replace(/^\/index\.php(?=\/|$)/, '');
  const [root] = PROXIED.exec(plain) ?? [];
  if (root !== undefined && merged !== path) {
    const names = merged.slice(0, merged.length - plain.length + root.length).split('/').length - 1;
    plain = root + path.replace(new RegExp(`^(?:/+[^/]+){${names}}`), '');
  }
  return [plain === '' ? '/' : plain, ...query].join('?');
}
