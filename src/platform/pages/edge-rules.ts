import type { EdgeRule } from '../../common/http/edge-rules.js';

export const PAGES_EDGE_RULES: readonly EdgeRule[] = [
  { path: /^\/(?:assets|apps\/app_api\/(?:embedded|enter))\//, onAppsOrigin: true },
];
