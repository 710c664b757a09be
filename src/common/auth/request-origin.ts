import type { Request } from 'express';

/** What of a request tells which page a browser sent it from. */
type OriginRequest = Pick<Request, 'headers' | 'host'>;

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

/** What any page can have a browser send to any site, without asking that first. */
const TYPE_OF_FORMS = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i;

/**
 * Whether a form or a script of another site could have sent the request along with a password that
 * the browser remembers for us. For anything else browsers ask us first, and are told no; scripts
 * that may call us bring their own, since a browser keeps apart what it remembers for forms.
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
 * Whether a picture, a script, a frame or a link in any page, ours included, could have sent the
 * request. Programs do not send these headers; scripts of pages have the mode `cors` or
 * `same-origin`; what people type themselves comes from the site `none`.
 */
export function couldBePictureOrLink({ headers }: OriginRequest): boolean {
  const mode = headers['sec-fetch-mode'];
  return mode === 'no-cors' || (mode === 'navigate' && headers['sec-fetch-site'] !== 'none');
}
