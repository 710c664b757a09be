/**
 * The version of AppAPI whose interface this gateway implements. Apps compare it with the version that
 * introduced a feature; 2.6.0 introduced redirects of file actions.
 */
export const GATEWAY_VERSION = '2.6.0';
