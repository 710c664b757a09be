import type { Attributes } from '@opentelemetry/api';

/** Attributes of an outgoing request: the host only, since paths and queries may contain keys. */
export function requestAttributes(method: string, url: string): Attributes {
  const host = URL.parse(url)?.host;
  return {
    'http.request.method': method,
    ...(host !== undefined && { 'server.address': host }),
  };
}
