import type { Request } from 'express';
import { clientNameOf } from '../../../common/http/client-name.js';
import type { Fields } from '../../../common/http/read-fields.js';

/** User agents that name only the library with which a program sends its requests. */
const LIBRARIES =
  /^(?:okhttp|Dart|CFNetwork|Java|Dalvik|Ktor|ktor-client|Apache-HttpClient|libcurl|curl|node|undici|axios|got|python-requests|python-httpx|aiohttp|Python-urllib|Go-http-client|reqwest|Qt|Unnamed program)\b[^a-z]*(?:\(.*\))?$/i;

/**
 * What a program calls itself: its user agent, or where that is only a library, the field `client` or
 * `source`, with which programs of Google's API introduced themselves.
 *
 * @returns in the form of a header, which has bytes as characters
 */
export function programNameOf(request: Pick<Request, 'headers'>, fields: Fields): string {
  const agent = request.headers['user-agent'] ?? '';
  if (!LIBRARIES.test(clientNameOf(request))) {
    return agent;
  }
  const name = [fields.one('client'), fields.one('source')].find((given) => given?.trim());
  return name === undefined ? agent : Buffer.from(name.trim()).toString('latin1');
}
