import type { IncomingMessage } from 'node:http';
import { isBasic } from '../../common/auth/visitors.js';
import { foreignCookies, setsHostCookie } from './host-cookies.js';
import { GATEWAY_HEADERS } from '../client/gateway-headers.js';

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
/** Would let a service worker of the app intercept requests of the host. */
const SERVICE_WORKER_SCOPE = 'service-worker-allowed';

const NEVER_TO_BROWSERS: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  ...GATEWAY_HEADERS,
  SERVICE_WORKER_SCOPE,
]);

/**
 * Request headers that are forwarded to an app: all except hop-by-hop headers, those of the gateway
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

/** Change how a browser treats the whole origin, which an app does not have for itself. */
const OF_WHOLE_ORIGIN = new Set([
  'alt-svc',
  'clear-site-data',
  'nel',
  'report-to',
  'reporting-endpoints',
  'strict-transport-security',
]);

/** The headers without those. For installations that do not trust their apps. */
export function withoutOriginHeaders(headers: Headers): Headers {
  const kept = Object.entries(headers).filter(([name]) => !OF_WHOLE_ORIGIN.has(name));
  return Object.fromEntries(kept);
}

/** Response headers of an app that are forwarded to browsers. */
export function headersToBrowser(
  answer: Pick<IncomingMessage, 'headers' | 'headersDistinct'>,
): Headers {
  const dropped = namedByConnection(answer.headers.connection);
  const kept: Headers = {};
  for (const [name, values = []] of Object.entries(answer.headersDistinct)) {
    const wanted =
      name === 'set-cookie' ? values.filter((value) => !setsHostCookie(value)) : values;
    if (!NEVER_TO_BROWSERS.has(name) && !dropped.has(name) && wanted.length > 0) {
      kept[name] = single(wanted);
    }
  }
  return kept;
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
