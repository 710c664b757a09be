import type { ExApp } from '../apps/ex-apps.repository.js';

/** Paths of the host; redirects to them are not rewritten. */
const HOST_PATHS = /^\/(?:index\.php|apps\/app_api|exapps|ocs)(?:\/|$)/;

/**
 * Rewrites a redirect to the app's own address, which browsers cannot reach, to the address of the
 * proxy by which the browser came.
 *
 * @param baseUrl public address of the installation
 */
export function locationForBrowser(
  location: string,
  app: Pick<ExApp, 'appId' | 'baseUrl'>,
  root: string,
  baseUrl: string | undefined,
): string {
  const prefix = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');
  const proxied = `${prefix}${root}/${app.appId}`;
  if (location.startsWith('/') && !location.startsWith('//')) {
    const isOfHost =
      HOST_PATHS.test(location) || (prefix !== '' && location.startsWith(`${prefix}/`));
    return isOfHost ? location : `${proxied}${location}`;
  }
  const isOfApp = location === app.baseUrl || location.startsWith(`${app.baseUrl}/`);
  return isOfApp ? `${proxied}${location.slice(app.baseUrl.length)}` : location;
}
