import { page } from '../host/page-context.js';

type Values = Readonly<Record<string, unknown>>;

export interface AddressOptions {
  /** Encode values; default: true. */
  readonly escape?: boolean;
  /** Include `/index.php` even though addresses work without it. */
  readonly noRewrite?: boolean;
  readonly ocsVersion?: number;
}

/**
 * Addresses work with and without `/index.php`. Client-side routers of apps compare generated
 * addresses with the current one, so both must have it or neither.
 */
export const isRewriteWorking = !location.pathname.startsWith(`${page.webRoot}/index.php/`);

const dispatcher = isRewriteWorking ? '' : '/index.php';

/** Browser path of an external app's files and routes. */
export function proxyRootOf(appId: string): string {
  return `${page.webRoot}${dispatcher}/apps/app_api/proxy/${encodeURIComponent(appId)}`;
}

/** @param path may contain placeholders such as `{token}`, filled from `values` */
export function generateUrl(path: string, values: Values = {}, options: AddressOptions = {}) {
  const front = options.noRewrite === true ? '/index.php' : dispatcher;
  return page.webRoot + front + filled(path, values, options);
}

export function linkToOcs(path: string, values: Values = {}, options: AddressOptions = {}) {
  const version = options.ocsVersion === 1 ? 1 : 2;
  return `${location.origin}${page.webRoot}/ocs/v${version}.php${filled(path, values, options)}`;
}

export function linkToRemoteBase(service: string): string {
  return `${page.webRoot}/remote.php/${service}`;
}

function filled(path: string, values: Values, { escape = true }: AddressOptions): string {
  const encoded = escape ? encodeURIComponent : String;
  const from = path.startsWith('/') ? path : `/${path}`;
  return from.replace(/\{([^{}]*)\}/g, (place, name: string) => {
    const value = values[name];
    const known = typeof value === 'string' || typeof value === 'number';
    return encoded(known ? String(value) : place);
  });
}
