import type { IncomingMessage } from 'node:http';
import { isBasic } from '../../common/auth/visitors.js';
import { foreignCookies, setsHostCookie } from './host-cookies.js';
import { GATEWAY_HEADERS } from '../client/gateway-headers.js';

export type Headers = Record<string, string | string[]>;

/** Between two neighbours on the way; `expect` has been answered by the time there is a request. */
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

/** Where a request came from is for the gateway to say, which checked it. */
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

/** Proves to the gateway that a page of the host wants a change. */
const REQUEST_TOKEN = 'requesttoken';

const NEVER_TO_APPS: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  ...ORIGIN,
  ...GATEWAY_HEADERS,
  REQUEST_TOKEN,
]);
/** Would let a service worker of the app answer for pages of the host. */
const SERVICE_WORKER_SCOPE = 'service-worker-allowed';

const NEVER_TO_BROWSERS: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  ...GATEWAY_HEADERS,
  SERVICE_WORKER_SCOPE,
]);

/**
 * What of a browser's headers an app gets: all that is not between the browser and the gateway, nor
 * for the gateway alone. Passwords and cookies of the host stay here.
 *
 * @param excluded by the app's own declaration, in any letter case
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

/** What of an app's headers a browser gets. */
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

/** Some servers cannot tell `-` from `_`, so neither may the rules. */
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
