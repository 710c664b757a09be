import ipaddr from 'ipaddr.js';

/**
 * Network of a client address, for limits: an IPv4 address, or the /64 of an IPv6 address, which
 * one household has.
 */
export function networkOf(clientAddress: string): string {
  return networkIn(clientAddress, 32);
}

/** Key for shares of concurrent work; treats all addresses of an IPv4 /24 as one network. */
export function wideNetworkOf(clientAddress: string): string {
  return networkIn(clientAddress, 24);
}

function networkIn(clientAddress: string, bitsOfIpv4: number): string {
  if (!ipaddr.isValid(clientAddress)) {
    return 'unknown';
  }
  const address = ipaddr.process(clientAddress);
  if (address.kind() === 'ipv6') {
    return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString()}/64`;
  }
  return bitsOfIpv4 === 32
    ? address.toString()
    : `${ipaddr.IPv4.networkAddressFromCIDR(`${address.toString()}/${bitsOfIpv4}`).toString()}/${bitsOfIpv4}`;
}
