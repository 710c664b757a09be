import type { Attributes } from '@opentelemetry/api';

/** Of an outgoing request: the host, since paths and queries of feeds and apps may hold keys. */
export function requestAttributes(method: string, url: string): Attributes {
  const host = URL.parse(url)?.host;
  return {
    'http.request.method': method,
    ...(host !== undefined && { 'server.address': host }),
  };
}
