import type { Request } from 'express';

/** Request data that tells the origin of a browser's request. */
type OriginRequest = Pick<Request, 'headers' | 'host'>;

/**
 * Whether the request is cross-site; its cookies are then ignored. Programs and plain navigation
 * send no origin.
 *
 * @param baseUrl public address of the installation, if configured
 */
export function isFromElsewhere(request: OriginRequest, baseUrl: string | undefined): boolean {
  return request.headers.origin !== undefined && !isSurelyOurs(request, baseUrl);
}

/**
 * Whether the browser asserts that a page of this origin sent the request, in headers that scripts
 * cannot set.
 */
export function isSurelyOurs(
  { headers, host }: OriginRequest,
  baseUrl: string | undefined,
): boolean {
  // Checked first, since browsers send the origin "null" for pages with `no-referrer`.
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

/** Content types of cross-site requests without a CORS preflight. */
const TYPE_OF_FORMS = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i;

/**
 * Whether a form or script of another site could have sent the request with Basic credentials that
 * the browser remembers. Other requests need a CORS preflight, which fails; scripts allowed by CORS
 * send explicit credentials.
 */
export function couldBeForged(
  request: OriginRequest & Pick<Request, 'method' | 'url'>,
  baseUrl: string | undefined,
  isCrossOrigin: (path: string) => boolean,
): boolean {
  const { headers, method, url } = request;
  const type = headers['content-type'];
  const isSimple =
    method === 'POST' &&
    headers['ocs-apirequest'] === undefined &&
    (type === undefined || TYPE_OF_FORMS.test(type));
  const mayCallUs = headers['sec-fetch-mode'] === 'cors' && isCrossOrigin(url);
  return isSimple && !mayCallUs && isFromElsewhere(request, baseUrl);
}

/**
 * Whether an image, script element, frame or link in any page, ours included, could have sent the
 * request. Programs do not send these headers; scripts have the mode `cors` or `same-origin`; typed
 * addresses have the site `none`.
 */
export function couldBePictureOrLink({ headers }: OriginRequest): boolean {
  const mode = headers['sec-fetch-mode'];
  return mode === 'no-cors' || (mode === 'navigate' && headers['sec-fetch-site'] !== 'none');
}
