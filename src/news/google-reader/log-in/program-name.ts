import type { Request } from 'express';
import { userAgentOf } from '../../../common/http/client-name.js';
import type { Fields } from '../../../common/http/read-fields.js';

/** Libraries and systems, which do not tell what program sends a request. */
const LIBRARY =
  /^(?:okhttp|dart|cfnetwork|darwin|java|dalvik|ktor(?:-client)?|apache-httpclient|libcurl|curl|node|undici|axios|got|python(?:-requests|-httpx|-urllib)?|aiohttp|go-http-client|reqwest|qt)(?:\/[\d.]*)?$/i;

/**
 * What a program calls itself: its user agent, or where that is only a library, the field `client` or
 * `source`, with which programs of Google's API introduced themselves.
 *
 * @returns in the form of a header, which has bytes as characters
 */
export function programNameOf(request: Pick<Request, 'headers'>, fields: Fields): string {
  const agent = request.headers['user-agent'] ?? '';
  const words = userAgentOf(request)
    .replace(/\([^)]*\)?/g, '')
    .split(/\s+/);
  if (!words.every((word) => word === '' || LIBRARY.test(word))) {
    return agent;
  }
  const name = [fields.one('client'), fields.one('source')].find((given) => given?.trim());
  return name === undefined ? agent : Buffer.from(name.trim()).toString('latin1');
}
