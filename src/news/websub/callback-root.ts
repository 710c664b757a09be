import ipaddr from 'ipaddr.js';
import type { Config } from '../../common/config/config.js';

/** Names that only resolve within a local network. */
const LOCAL_NAMES = /(^|\.)(localhost|local|lan|home|internal|intranet|test|example|invalid|arpa)$/;

/** The base URL at which hubs can reach us; null when they cannot, or must not. */
export function callbackRoot({
  webSub,
  baseUrl,
}: Pick<Config, 'webSub' | 'baseUrl'>): string | null {
  if (webSub === 'off' || baseUrl === undefined) {
    return null;
  }
  return webSub === 'on' || isPublic(new URL(baseUrl)) ? baseUrl : null;
}

function isPublic({ protocol, hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol !== 'https:') {
    return false;
  }
  if (ipaddr.isValid(host)) {
    return ipaddr.process(host).range() === 'unicast';
  }
  return host.includes('.') && !LOCAL_NAMES.test(host);
}
