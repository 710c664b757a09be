/** Safe methods of HTTP and WebDAV: they change nothing. */
export const READING_METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'PROPFIND',
  'REPORT',
  'SEARCH',
]);
