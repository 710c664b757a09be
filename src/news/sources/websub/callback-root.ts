import type { Config } from '../../../common/config/config.js';
import { isPublicHttps } from '../../../common/http/public-https.js';

/** The base URL at which hubs can reach us; null when they cannot, or must not. */
export function callbackRoot({
  webSub,
  baseUrl,
}: Pick<Config, 'webSub' | 'baseUrl'>): string | null {
  if (webSub === 'off' || baseUrl === undefined) {
    return null;
  }
  return webSub === 'on' || isPublicHttps(new URL(baseUrl)) ? baseUrl : null;
}
