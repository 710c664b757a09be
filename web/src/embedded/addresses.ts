type Values = Readonly<Record<string, unknown>>;

export interface AddressOptions {
  /** Encode values; default: true. */
  readonly escape?: boolean;
  /** Include `/index.php` even though addresses work without it. */
  readonly noRewrite?: boolean;
  readonly ocsVersion?: number;
}

/**
 * Functions with which front ends build addresses.
 *
 * @param webRoot path prefix of the installation
 */
export function addressesBelow(webRoot: string) {
  /**
   * Addresses work with and without `/index.php`. Client-side routers of apps compare generated
   * addresses with the current one, so both must have it or neither.
   */
  const isRewriteWorking = !location.pathname.startsWith(`${webRoot}/index.php/`);
  const dispatcher = isRewriteWorking ? '' : '/index.php';

  return {
    isRewriteWorking,

    /** Browser path of an external app's files and routes. */
    proxyRootOf: (appId: string): string =>
      `${webRoot}${dispatcher}/apps/app_api/proxy/${encodeURIComponent(appId)}`,

    /** @param path may contain placeholders such as `{token}`, filled from `values` */
    generateUrl(path: string, values: Values = {}, options: AddressOptions = {}): string {
      const front = options.noRewrite === true ? '/index.php' : dispatcher;
      return webRoot + front + filled(path, values, options);
    },

    linkToOcs(path: string, values: Values = {}, options: AddressOptions = {}): string {
      const version = options.ocsVersion === 1 ? 1 : 2;
      return `${location.origin}${webRoot}/ocs/v${version}.php${filled(path, values, options)}`;
    },

    linkToRemoteBase: (service: string): string => `${webRoot}/remote.php/${service}`,
  };
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
