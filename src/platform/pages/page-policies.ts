/*
 * Content security policies. The host's pages run only their own files, so that even markup that got
 * past the sanitizer cannot run scripts. Front ends of external apps may evaluate code and add style
 * elements.
 */

const COMMON = [
  "default-src 'none'",
  "base-uri 'none'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
];

/**
 * @param pictures whether browsers load pictures of articles from the publishers or from here
 * @param appOrigin of a page of an external app in a frame
 */
export function shellPolicy(pictures: 'direct' | 'proxy', appOrigin?: string): string {
  const withApp = (sources: string) => [sources, appOrigin ?? []].flat().join(' ');
  return [
    ...COMMON,
    withApp("form-action 'self'"),
    "frame-ancestors 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    pictures === 'proxy' ? "img-src 'self' data: blob:" : 'img-src http: https: data: blob:',
    // Audio of articles comes from any host.
    'media-src http: https: blob:',
    // Players of videos, which readers start by a click; PeerTube has any host.
    withApp("frame-src 'self' https:"),
  ].join('; ');
}

const APP_PAGE = [
  ...COMMON,
  "form-action 'self'",
  "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  'img-src https: http: data: blob:',
  'media-src https: http: data: blob:',
  "frame-src 'self'",
];

export const EMBEDDED_POLICY = [...APP_PAGE, "frame-ancestors 'self'"].join('; ');

/** Policy of a page on an origin of its own. @param hostOrigin the only one that may show it in a frame */
export function framePolicy(hostOrigin: string): string {
  return [...APP_PAGE, `frame-ancestors ${hostOrigin}`].join('; ');
}
