import type { Config } from '../../common/config/config.js';

/**
 * Path of the page of a top menu entry.
 *
 * @param page name of the entry, optionally with a path, query or fragment
 * @returns null if the path would leave the app's pages
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
