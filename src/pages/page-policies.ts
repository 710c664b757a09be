/*
 * What the browser may load and run, by page. The host's own pages run nothing but their own files:
 * even a feed that got past the sanitiser could not run anything. An external app's page is that
 * app's, and front ends of apps evaluate code and write style elements.
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

export const SHELL_POLICY = [
  ...COMMON,
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  // Pictures and sound of articles come from wherever their publishers keep them.
  'img-src http: https: data: blob:',
  'media-src http: https: blob:',
  "frame-src 'self'",
].join('; ');

export const EMBEDDED_POLICY = [
  ...COMMON,
  "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  'img-src https: http: data: blob:',
  'media-src https: http: data: blob:',
  "frame-src 'self'",
].join('; ');
