import type { EdgeRule } from '../../common/http/edge-rules.js';

/** WebDAV: files of any size, and XML that its controllers parse. */
export const FILES_EDGE_RULES: readonly EdgeRule[] = [
  { path: /^\/remote\.php\//i, rawBody: true, slowBody: (method) => method === 'PUT' },
];
