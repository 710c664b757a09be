import type { EdgeRule } from '../common/http/edge-rules.js';

/** Browser applications on other origins may call the feed reader API. */
export const NEWS_EDGE_RULES: readonly EdgeRule[] = [
  { path: /^\/apps\/news\/api(?:\/|$)/i, crossOrigin: true },
];
