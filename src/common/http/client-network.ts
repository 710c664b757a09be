import ipaddr from 'ipaddr.js';

/**
 * Network of a client address, for limits: an IPv4 address, or the /64 of an IPv6 address, which
 * one household has.
 */
export function networkOf(clientAddress: string): string {
  if (!ipaddr.isValid(clientAddress)) {
    return 'unknown';
  }
  const address = ipaddr.process(clientAddress);
  return address.kind() === 'ipv4'
    ? address.toString()
    : `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString()}/64`;
}
