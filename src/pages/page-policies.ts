/*
 * Content security policies. The host's pages run only their own files, so that even markup that got
 * past the sanitizer cannot run scripts. Front ends of external apps may evaluate code and add style
 * elements.
 */

const COMMON = [
  "default-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
];

/** @param pictures whether browsers load pictures of articles from the publishers or from here */
export function shellPolicy(pictures: 'direct' | 'proxy'): string {
  return [
    ...COMMON,
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    pictures === 'proxy' ? "img-src 'self' data: blob:" : 'img-src http: https: data: blob:',
    // Audio of articles comes from any host.
    'media-src http: https: blob:',
    // Players of videos, which readers start by a click; PeerTube has any host.
    "frame-src 'self' https:",
  ].join('; ');
}

export const EMBEDDED_POLICY = [
  ...COMMON,
  "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  'img-src https: http: data: blob:',
  'media-src https: http: data: blob:',
  "frame-src 'self'",
].join('; ');
