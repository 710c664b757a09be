import type { Request } from 'express';

/** What of a request tells which page a browser sent it from. */
export type OriginRequest = Pick<Request, 'headers' | 'host'>;

/**
 * Whether a page of another site sent the request, which counts as one without cookies then.
 * Programs, and pages that are merely opened, name no origin.
 *
 * @param baseUrl public address of the installation, when it is configured
 */
export function isFromElsewhere(request: OriginRequest, baseUrl: string | undefined): boolean {
  return request.headers.origin !== undefined && !isSurelyOurs(request, baseUrl);
}

/**
 * Whether the browser vouches that a page of ours sent the request. The headers it does so with are
 * out of reach of every page's scripts.
 */
export function isSurelyOurs(
  { headers, host }: OriginRequest,
  baseUrl: string | undefined,
): boolean {
  // Also for the origin "null", which browsers send with forms of pages that hide their address.
  if (headers['sec-fetch-site'] === 'same-origin') {
    return true;
  }
  const origin = URL.parse(headers.origin ?? '');
  const publicAddress = URL.parse(baseUrl ?? '');
  if (origin === null) {
    return false;
  }
  return origin.host === publicAddress?.host
    ? origin.protocol === publicAddress.protocol
    : origin.host === host;
}
