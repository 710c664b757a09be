import { requestJson } from '../../host/http.js';
import { addressOf } from '../../host/page-context.js';

/** Path of the feed reader API; see docs/news-api.md. */
export const NEWS_ROOT = '/apps/news/api/v1-3';

/** Identifies this page, so that the service leaves its own changes out of its live updates. */
const CLIENT = `pages-${[...crypto.getRandomValues(new Uint8Array(8))]
  .map((byte) => byte.toString(16).padStart(2, '0'))
  .join('')}`;
export const CLIENT_HEADER = { 'X-Gatefold-Client': CLIENT };

/** @param since time of the last known change: missed ones are reported at once */
export const liveUpdatesAddress = (since: number) =>
  addressOf(`${NEWS_ROOT}/events?client=${CLIENT}&since=${since}`);

/** @param path below `NEWS_ROOT` */
export function change<T>(method: string, path: string, json?: unknown): Promise<T> {
  return requestJson<T>(NEWS_ROOT + path, {
    method,
    headers: CLIENT_HEADER,
    ...(json === undefined ? {} : { json }),
  });
}
