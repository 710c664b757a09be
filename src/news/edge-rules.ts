import type { EdgeRule } from '../common/http/edge-rules.js';

/** Of the Google Reader API, at the root and where FreshRSS has it. */
const GOOGLE_READER =
  /^\/(?:api\/greader\.php(?:\/|$)|reader\/(?:api\/0|atom|icons)(?:\/|$)|accounts\/ClientLogin(?:\/|$))/i;

/** Of the Fever API, wherever clients look for it. */
const FEVER = /^\/(?:fever(?:\/fever)?|(?:api\/)?fever\.php)\/?$/i;

export const NEWS_EDGE_RULES: readonly EdgeRule[] = [
  // Browser applications on other origins may call the feed reader APIs.
  { path: /^\/apps\/news\/api(?:\/|$)/i, crossOrigin: true },
  // Its forms repeat names thousands of times, and some come without a type.
  { path: GOOGLE_READER, crossOrigin: true, rawBody: true },
  { path: FEVER, crossOrigin: true, rawBody: true },
];
