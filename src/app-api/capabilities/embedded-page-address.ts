import type { Config } from '../../common/config/config.js';

/**
 * Where the page of a top menu entry of an app is, below the host's address.
 *
 * @param page name of the entry, with whatever the page itself makes of the rest
 * @returns null when the page would lie outside of the app's
 */
export function embeddedPageAddress(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  appId: string,
  page: string,
): string | null {
  const prefix = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');
  const root = `${prefix}/index.php/apps/app_api/embedded/${encodeURIComponent(appId)}/`;
  const { pathname, search, hash } = new URL(`http://host${root}${page.replace(/^\/+/, '')}`);
  return pathname.startsWith(root) ? `${pathname}${search}${hash}` : null;
}
