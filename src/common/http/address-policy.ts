import ipaddr from 'ipaddr.js';
import dns from 'node:dns';
import type { Agent } from 'node:http';
import net, { type LookupFunction } from 'node:net';

/** `allow-listed` is an address that only the operator's exception makes reachable. */
export type AddressVerdict = 'public' | 'allow-listed' | 'refused';

/** Raised inside the socket, before a connection to a refused address is begun. */
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

/** IPv6 hands out public addresses here only; translated and embedded IPv4 lies outside. */
const GLOBAL_UNICAST_V6: Cidr = ipaddr.parseCIDR('2000::/3');

/**
 * Which addresses the program may connect to on behalf of its users: public ones, and private
 * ones that the operator listed.
 */
export class AddressPolicy {
  readonly #exceptions: readonly Cidr[];

  /** @param allowedCidrs addresses in CIDR form that are reachable although they are not public */
  constructor(allowedCidrs: readonly string[]) {
    this.#exceptions = allowedCidrs.map((cidr) => ipaddr.parseCIDR(cidr));
  }

  /** @param address an IPv4 or IPv6 address in any spelling; anything else is refused */
  judge(address: string): AddressVerdict {
    if (!ipaddr.isValid(address)) {
      return 'refused';
    }
    const parsed = ipaddr.parse(address);
    if (isPublic(parsed)) {
      return 'public';
    }
    return this.#exceptions.some((range) => isInside(parsed, range)) ? 'allow-listed' : 'refused';
  }

  /**
   * A lookup for sockets that yields permitted addresses only, so that the address that was
   * checked is the address that gets connected to, whatever the name resolves to a moment later.
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

  /** Makes an agent refuse to connect to anything else than a permitted address. */
  guard(agent: Agent): void {
    const connect = agent.createConnection.bind(agent);
    const lookup = this.lookup();
    agent.createConnection = (options, callback) => {
      // Sockets skip the lookup when the host already is an address.
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

/** An IPv4 address is never inside an IPv6 range, nor the other way round. */
function isInside(address: ParsedAddress, range: Cidr): boolean {
  return address.kind() === range[0].kind() && address.match(range);
}
