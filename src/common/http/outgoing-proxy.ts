import dns from 'node:dns/promises';
import net from 'node:net';
import { AddressPolicy, AddressRefused, type AddressVerdict } from './address-policy.js';
import { HostsFile } from './hosts-file.js';

/** Names that may only resolve in the proxy's network. */
const LOCAL_NAME = /^[^.:]+$|\.(?:internal|local|localhost)$/;

/** Decides which requests use the operator's proxy. */
export class OutgoingProxy {
  readonly #exceptNames: readonly string[];
  readonly #exceptRanges: AddressPolicy;
  /** Shorter timeouts than sockets have: there may be no name server. */
  readonly #resolver = new dns.Resolver({ timeout: 1000, tries: 1 });

  /** @param exceptions names, which include all names below them, and CIDR ranges */
  constructor(
    readonly host: string,
    exceptions: readonly string[],
    private readonly policy: AddressPolicy,
    private readonly hosts = new HostsFile(),
  ) {
    this.#exceptNames = exceptions.map((name) => name.replace(/^\*?\.?/, '.').toLowerCase());
    this.#exceptRanges = new AddressPolicy(exceptions.filter((text) => text.includes('/')));
  }

  /**
   * Judges a server by local resolution; the proxy resolves its name again.
   *
   * @returns null for an exception
   * @throws AddressRefused if `isGuarded`
   */
  async judge({ hostname }: URL, isGuarded: boolean): Promise<AddressVerdict | null> {
    const host = hostname.replace(/^\[|\]$|\.+$/g, '');
    const addresses = net.isIP(host) === 0 ? await this.#lookUp(host) : [host];
    if (
      this.#exceptNames.some((name) => `.${host}`.endsWith(name)) ||
      addresses.some((address) => this.#exceptRanges.lists(address))
    ) {
      return null;
    }
    const verdicts = new Set(addresses.map((address) => this.policy.judge(address)));
    if (isGuarded && (verdicts.has('refused') || (verdicts.size === 0 && LOCAL_NAME.test(host)))) {
      throw new AddressRefused(host);
    }
    return verdicts.has('allow-listed') ? 'allow-listed' : 'public';
  }

  async #lookUp(name: string): Promise<string[]> {
    const asked = [this.#resolver.resolve4(name), this.#resolver.resolve6(name)];
    const answers = await Promise.all(asked.map((answer) => answer.catch(() => [])));
    return [...(await this.hosts.addressesOf(name.toLowerCase())), ...answers.flat()];
  }
}
