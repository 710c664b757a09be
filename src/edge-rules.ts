import { APP_API_EDGE_RULES } from './app-api/edge-rules.js';
import { EdgeRules } from './common/http/edge-rules.js';
import { FILES_EDGE_RULES } from './platform/files/edge-rules.js';
import { NEWS_EDGE_RULES } from './news/edge-rules.js';
import { PAGES_EDGE_RULES } from './platform/pages/edge-rules.js';

/** Edge rules of all rooms. */
export const EDGE_RULES = new EdgeRules([
  ...APP_API_EDGE_RULES,
  ...FILES_EDGE_RULES,
  ...NEWS_EDGE_RULES,
  ...PAGES_EDGE_RULES,
]);
