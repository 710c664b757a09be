import type { EdgeRule } from '../common/http/edge-rules.js';

export const APP_API_EDGE_RULES: readonly EdgeRule[] = [
  // Requests that are proxied to external apps.
  {
    path: /^\/(?:apps\/app_api\/proxy|exapps)(?:\/|$)/i,
    rawBody: true,
    slowBody: () => true,
    strictPath: true,
    onAppsOrigin: true,
  },
  // Signatures of chat servers are over the bytes of the body.
  { path: /^(?:\/ocs\/v[12]\.php)?\/apps\/app_api\/api\/v1\/talk_proxy\//i, rawBody: true },
  // Files of tasks are streamed.
  {
    path: /^\/ocs\/v[12]\.php\/taskprocessing\/tasks_provider\/\d+\/file$/i,
    rawBody: true,
    slowBody: (method) => method === 'POST',
  },
];
