import ipaddr from 'ipaddr.js';

/** Names that only resolve within a local network. */
const LOCAL_NAMES =
  /(^|\.)(localhost|local|lan|home|internal|intranet|intra|corp|localdomain|test|example|invalid|arpa|private)$/;

/** Whether an address is https at a host that the internet may reach. */
export function isPublicHttps({ protocol, hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  if (protocol !== 'https:') {
    return false;
  }
  if (ipaddr.isValid(host)) {
    return ipaddr.process(host).range() === 'unicast';
  }
  return host.includes('.') && !LOCAL_NAMES.test(host);
}
