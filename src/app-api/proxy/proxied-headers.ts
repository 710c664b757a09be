import type { IncomingMessage } from 'node:http';
import { isBasic } from '../../common/auth/visitors.js';
import { GATEWAY_HEADERS } from '../apps/client/gateway-headers.js';
import type { ExApp } from '../apps/ex-apps.repository.js';

/** Paths of the host; redirects to them are not rewritten. */
const HOST_PATHS = /^\/(?:index\.php|apps\/app_api|exapps|ocs)(?:\/|$)/;

/** The part of a path that belongs to one app. */
const APP_ROOT = /(?:\/index\.php)?\/(?:apps\/app_api\/proxy|exapps)\/([^/]+)(?=\/|$)/i;

/**
 * Prefix of the host's cookies. External apps share the origin, but neither receive these cookies nor
 * set them.
 */
const HOST_COOKIE = /^(?:__(?:Host|Secure)-)?gatefold[-_]/i;

/** Valid for the whole origin by its name. */
const COOKIE_OF_ORIGIN = /^__Host-/i;

export type Headers = Record<string, string | string[]>;

/** Hop-by-hop headers, and `expect`, which the server has answered already. */
export const HOP_BY_HOP = [
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Set by the gateway, which has verified the origin. */
const ORIGIN = [
  'forwarded',
  'host',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-origin-ip',
  'x-real-ip',
];

/** The CSRF token of the host. */
const REQUEST_TOKEN = 'requesttoken';

const NEVER_TO_APPS: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  ...ORIGIN,
  ...GATEWAY_HEADERS,
  REQUEST_TOKEN,
]);

/**
 * Headers that an app may send to browsers. Excluded: headers about the whole origin (`Clear-Site-Data`,
 * `Alt-Svc`, `Origin-Agent-Cluster`, `Service-Worker-Allowed`), headers that a reverse proxy obeys (`X-Accel-…`), and `Refresh`,
 * which leads away from the page.
 */
const TO_BROWSERS: ReadonlySet<string> = new Set([
  'accept-patch',
  'accept-post',
  'accept-ranges',
  'age',
  'allow',
  'cache-control',
  'date',
  'dav',
  'etag',
  'expires',
  'last-modified',
  'link',
  'location',
  'lock-token',
  'ms-author-via',
  'permissions-policy',
  'pragma',
  'preference-applied',
  'referrer-policy',
  'retry-after',
  'server',
  'server-timing',
  'set-cookie',
  'sourcemap',
  'timing-allow-origin',
  'vary',
  'warning',
  'www-authenticate',
  'x-accel-buffering',
]);

/** Descriptions of the content and its use, headers of the app's own, and protocols that apps speak. */
const BEGINNINGS_TO_BROWSERS =
  /^(?:access-control-|content-|cross-origin-|mcp-|oc-|sec-websocket-|tus-|upload-|x-(?!accel-|gatefold-|sendfile|lighttpd-|reproxy-))/;

/** What the page or a program does with the links; others make the browser load from elsewhere ahead of time. */
const RELATIONS = new Set(
  'alternate canonical describedby first icon item last license modulepreload next preload prev self stylesheet up'.split(
    ' ',
  ),
);

/**
 * Allowed values of headers with which an app could take back what the host says about the page, or make
 * browsers ask for a password in the host's name.
 */
const VALUES_TO_BROWSERS: ReadonlyMap<string, (value: string) => boolean> = new Map([
  ['link', hasKnownRelations],
  ['www-authenticate', isForPrograms],
  ['x-content-type-options', (value: string) => /^nosniff$/i.test(value)],
  ['x-frame-options', (value: string) => /^(?:deny|sameorigin)$/i.test(value)],
]);

function hasKnownRelations(links: string): boolean {
  const relations = [...links.matchAll(/;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]*))/gi)];
  return relations.every(([, quoted, plain = '']) =>
    (quoted ?? plain).split(/\s+/).every((name) => RELATIONS.has(name.toLowerCase())),
  );
}

/** Browsers show a dialog for the other schemes. */
function isForPrograms(challenges: string): boolean {
  return (
    /^(?:bearer|dpop)(?:\s|$)/i.test(challenges) &&
    !/(?:^|[\s,])(?:basic|digest|negotiate|ntlm)(?![\w-])/i.test(challenges)
  );
}

/**
 * Request headers that are forwarded to an app: all except hop-by-hop headers, headers of the gateway
 * protocol, and passwords and cookies of the host.
 *
 * @param excluded by the route, in any letter case
 */
export function headersToApp(
  request: Pick<IncomingMessage, 'headers' | 'headersDistinct' | 'method'>,
  excluded: readonly string[],
): Headers {
  const { headers, method = 'GET' } = request;
  const dropped = new Set([...namedByConnection(headers.connection), ...excluded.map(comparable)]);
  const bodiless = method === 'GET' || method === 'HEAD';
  const kept: Headers = { 'accept-language': 'en' };
  for (const [name, values = []] of Object.entries(request.headersDistinct)) {
    const compared = comparable(name);
    const unwanted = NEVER_TO_APPS.has(compared) || dropped.has(compared);
    if (!unwanted && !(bodiless && compared.startsWith('content-'))) {
      kept[name] = single(values);
    }
  }
  if (isBasic(headers.authorization)) {
    delete kept['authorization'];
  }
  const cookie = kept['cookie'] === undefined ? undefined : foreignCookies(headers.cookie);
  delete kept['cookie'];
  return cookie === undefined ? kept : { ...kept, cookie };
}

/**
 * Response headers of an app that are forwarded to browsers.
 *
 * @param root path of the app as the browser sees it, to which its cookies are confined
 */
export function headersToBrowser(
  answer: Pick<IncomingMessage, 'headers' | 'headersDistinct'>,
  root: string,
): Headers {
  const dropped = namedByConnection(answer.headers.connection);
  const kept: Headers = {};
  for (const [name, values = []] of Object.entries(answer.headersDistinct)) {
    const isValueAllowed = VALUES_TO_BROWSERS.get(name) ?? (() => true);
    const wanted =
      name === 'set-cookie'
        ? values.filter((value) => !isForHost(value)).map((value) => confined(value, root))
        : values.filter((value) => value.trim() !== '' && isValueAllowed(value.trim()));
    const isAllowed = TO_BROWSERS.has(name) || BEGINNINGS_TO_BROWSERS.test(name);
    if (isAllowed && !dropped.has(name) && wanted.length > 0) {
      kept[name] = single(wanted);
    }
  }
  return kept;
}

/** @returns the directives without any that let shared caches keep the response */
export function privateCaching(given: string): string {
  const kept = given
    .split(',')
    .map((directive) => directive.trim())
    .filter((directive) => !/^(?:public|private|s-maxage\b.*|)$/i.test(directive));
  return ['private', ...kept].join(', ');
}

/** Some servers treat `-` and `_` as equal, so the rules must, too. */
function comparable(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

function namedByConnection(connection: string | undefined): Set<string> {
  return new Set((connection ?? '').split(',').map((name) => comparable(name.trim())));
}

function single(values: readonly string[]): string | string[] {
  const [first = ''] = values;
  return values.length === 1 ? first : [...values];
}

/** A `Cookie` header without the host's cookies; undefined if none is left. */
function foreignCookies(header: string | undefined): string | undefined {
  const cookies = (header ?? '').split(';').map((cookie) => cookie.trim());
  const foreign = cookies.filter((cookie) => cookie !== '' && !HOST_COOKIE.test(cookie));
  return foreign.length === 0 ? undefined : foreign.join('; ');
}

/** @param setCookie one `Set-Cookie` header; a cookie without a name is sent as its value alone */
function isForHost(setCookie: string): boolean {
  const name = setCookie.replace(/^[\s=]+/, '');
  return HOST_COOKIE.test(name) || COOKIE_OF_ORIGIN.test(name);
}

/**
 * For this host alone, and below the app's path: another cookie would reach other apps, or be so large
 * that the host refuses the browser's requests.
 */
function confined(setCookie: string, root: string): string {
  const [pair = '', ...attributes] = setCookie.split(';').map((part) => part.trim());
  const others = attributes.filter((part) => !/^(?:domain|path)\s*(?:=|$)/i.test(part));
  const paths = attributes.flatMap((part) => /^path\s*=\s*(\/.*)$/i.exec(part)?.[1] ?? []);
  // Browsers use the last one.
  const path = paths.at(-1) ?? '/';
  const kept = isBelow(path, root) ? path : `${root}${path}`.replace(/\/$/, '');
  return [pair, ...others, `Path=${kept}`].join('; ');
}

/** Also by another address of the same app. */
function isBelow(path: string, root: string): boolean {
  const [given, own] = [APP_ROOT.exec(path), APP_ROOT.exec(root)];
  const prefix = root.slice(0, own?.index);
  return given?.[1] === own?.[1] && given?.index === own?.index && path.startsWith(prefix);
}

/** The path of an app as the browser wrote it. @param sent path and query of the request line */
export function rootForBrowser(
  sent: string,
  { root, appId }: { readonly root: string; readonly appId: string },
  baseUrl: string | undefined,
): string {
  const [path = ''] = sent.split('?', 1);
  const script = path.includes(`/index.php${root}/`) ? '/index.php' : '';
  return `${pathPrefix(baseUrl)}${script}${root}/${encodeURIComponent(appId)}`;
}

function pathPrefix(baseUrl: string | undefined): string {
  return baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');
}

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
  const prefix = pathPrefix(baseUrl);
  const proxied = `${prefix}${root}/${app.appId}`;
  if (location.startsWith('/') && !location.startsWith('//')) {
    const isOfHost =
      HOST_PATHS.test(location) || (prefix !== '' && location.startsWith(`${prefix}/`));
    return isOfHost ? location : `${proxied}${location}`;
  }
  const isOfApp = location === app.baseUrl || location.startsWith(`${app.baseUrl}/`);
  return isOfApp ? `${proxied}${location.slice(app.baseUrl.length)}` : location;
}
