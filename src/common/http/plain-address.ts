/**
 * Normalises the addresses that clients build: strips `/index.php` and the path prefix, and merges
 * double slashes.
 *
 * @param address path and query of the request line
 * @param baseUrl public address of the installation, whose path is the prefix
 */
export function plainAddress(address: string, baseUrl: string | undefined): string {
  const prefix = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');
  const [path = '', ...query] = address.split('?');
  let plain = path.replace(/\/{2,}/g, '/');
  if (prefix !== '' && (plain === prefix || plain.startsWith(`${prefix}/`))) {
    plain = plain.slice(prefix.length);
  }
  plain = plain.replace(/^\/index\.php(?=\/|$)/, '');
  return [plain === '' ? '/' : plain, ...query].join('?');
}
