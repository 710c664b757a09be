import type { CustomFetch, CustomFetchOptions } from 'openid-client';
import type { OutgoingHttp, OutgoingRequest } from '../../common/http/outgoing-http.js';

const MIB = 1024 * 1024;

/**
 * Lets the library use our way out. The provider may be anywhere, since the operator named it; a
 * redirect is an answer that the library refuses.
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

/** Forms are all that is ever sent to a provider. */
function textOf(body: CustomFetchOptions['body']): OutgoingRequest['body'] {
  return body instanceof URLSearchParams || typeof body === 'string' ? body.toString() : undefined;
}
