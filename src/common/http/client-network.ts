import ipaddr from 'ipaddr.js';

/**
 * What of a client's address failures are counted by: IPv4 whole; of IPv6 the first 64 bits, since a
 * household has all the rest to itself.
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
