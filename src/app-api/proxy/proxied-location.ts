import type { ExApp } from '../apps/ex-apps.repository.js';

/** Paths that the host has and an app has not: who redirects there means the host. */
const HOST_PATHS = /^\/(?:index\.php|apps\/app_api|exapps|ocs)(?:\/|$)/;

/**
 * Where a redirect leads, for a browser that sees the app below the host's address. Apps know their
 * own address only, and the browser cannot reach that.
 *
 * @param baseUrl public address of the installation
 */
export function locationForBrowser(
  location: string,
  app: Pick<ExApp, 'appId' | 'baseUrl'>,
  baseUrl: string | undefined,
): string {
  const prefix = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');
  const proxied = `${prefix}/apps/app_api/proxy/${app.appId}`;
  if (location.startsWith('/') && !location.startsWith('//')) {
    const isOfHost =
      HOST_PATHS.test(location) || (prefix !== '' && location.startsWith(`${prefix}/`));
    return isOfHost ? location : `${proxied}${location}`;
  }
  const isOfApp = location === app.baseUrl || location.startsWith(`${app.baseUrl}/`);
  return isOfApp ? `${proxied}${location.slice(app.baseUrl.length)}` : location;
}
