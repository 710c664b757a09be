import ipaddr from 'ipaddr.js';
import dns from 'node:dns';
import type { Agent } from 'node:http';
import net, { type LookupFunction } from 'node:net';

/** `allow-listed`: a private address that the operator has allowed. */
export type AddressVerdict = 'public' | 'allow-listed' | 'refused';

/** Raised in the socket before it connects to a refused address. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED';

  constructor(address: string) {
    super(`${address} is not a public address`);
    this.name = 'AddressRefused';
  }
}

type Cidr = ReturnType<typeof ipaddr.parseCIDR>;
type ParsedAddress = ReturnType<typeof ipaddr.parse>;
type Resolve = (
  hostname: string,
  options: dns.LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void,
) => void;

/** All public IPv6 addresses; translated and embedded IPv4 addresses are outside of it. */
const GLOBAL_UNICAST_V6: Cidr = ipaddr.parseCIDR('2000::/3');

/**
 * SSRF protection: addresses that requests on behalf of users may connect to. These are public
 * ones, and private ones that the operator has listed.
 */
export class AddressPolicy {
  readonly #exceptions: readonly Cidr[];

  /** @param allowedCidrs allowed private addresses in CIDR notation */
  constructor(allowedCidrs: readonly string[]) {
    this.#exceptions = allowedCidrs.map((cidr) => ipaddr.parseCIDR(cidr));
  }

  /** @param address an IPv4 or IPv6 address in any notation; other text is refused */
  judge(address: string): AddressVerdict {
    if (!ipaddr.isValid(address)) {
      return 'refused';
    }
    if (isPublic(ipaddr.parse(address))) {
      return 'public';
    }
    return this.lists(address) ? 'allow-listed' : 'refused';
  }

  lists(address: string): boolean {
    return this.#exceptions.some((range) => isInside(ipaddr.parse(address), range));
  }

  /**
   * DNS lookup for sockets that returns permitted addresses only. The socket connects to the
   * checked address, which prevents DNS rebinding.
   */
  lookup(resolve: Resolve = dns.lookup): LookupFunction {
    return (hostname, options, callback) => {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) {
          callback(error, []);
          return;
        }
        const permitted = addresses.filter(({ address }) => this.judge(address) !== 'refused');
        const [first] = permitted;
        if (!first) {
          callback(new AddressRefused(addresses[0]?.address ?? hostname), []);
          return;
        }
        if (options.all) {
          callback(null, permitted);
          return;
        }
        callback(null, first.address, first.family);
      });
    };
  }

  /** Restricts an agent to permitted addresses. */
  guard(agent: Agent): void {
    const connect = agent.createConnection.bind(agent);
    const lookup = this.lookup();
    agent.createConnection = (options, callback) => {
      // Sockets skip the lookup for IP addresses.
      const host = options.host ?? '';
      if (net.isIP(host) !== 0 && this.judge(host) === 'refused') {
        return new net.Socket().destroy(new AddressRefused(host));
      }
      return connect({ ...options, lookup }, callback);
    };
  }
}

function isPublic(address: ParsedAddress): boolean {
  return (
    address.range() === 'unicast' &&
    (address.kind() === 'ipv4' || isInside(address, GLOBAL_UNICAST_V6))
  );
}

/** False for different address families. */
function isInside(address: ParsedAddress, range: Cidr): boolean {
  return address.kind() === range[0].kind() && address.match(range);
}
