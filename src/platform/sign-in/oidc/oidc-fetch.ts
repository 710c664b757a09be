import type { CustomFetch, CustomFetchOptions } from 'openid-client';
import type { OutgoingHttp, OutgoingRequest } from '../../../common/http/outgoing-http.js';
import { MIB } from '../../../common/units.js';

/**
 * Makes the library use `OutgoingHttp`. Any address is allowed, since the operator configured it;
 * redirects are returned and the library rejects them.
 */
export function fetchThrough(http: OutgoingHttp): CustomFetch {
  return async (url, { body, headers, method, signal }) => {
    const sent = textOf(body);
    const answer = await http.request({
      url,
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      maxWireBytes: MIB,
      maxDecodedBytes: MIB,
      maxRedirects: 0,
      addressPolicy: 'operator-configured',
      ...(sent !== undefined && { body: sent }),
      ...(signal !== undefined && { signal }),
    });
    const type = answer.headers['content-type'];
    const challenge = answer.headers['www-authenticate'];
    return new Response(answer.status === 204 ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: {
        ...(type !== undefined && { 'content-type': type }),
        ...(challenge !== undefined && { 'www-authenticate': challenge }),
      },
    });
  };
}

/** The library sends only forms. */
function textOf(body: CustomFetchOptions['body']): OutgoingRequest['body'] {
  return body instanceof URLSearchParams || typeof body === 'string' ? body.toString() : undefined;
}
