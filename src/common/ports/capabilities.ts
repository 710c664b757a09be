import type { Account } from './user-directory.js';

/**
 * What one room lets clients know about itself, by names of its own.
 *
 * @param account who asks; undefined for an anonymous request, which learns the public part only
 */
type CapabilityContribution = (
  account: Account | undefined,
) => Record<string, unknown> | Promise<Record<string, unknown>>;

/** Where rooms announce what they can do; the host answers `cloud/capabilities` from it. */
export class Capabilities {
  readonly #contributions: CapabilityContribution[] = [];

  contribute(contribution: CapabilityContribution): void {
    this.#contributions.push(contribution);
  }

  /** All contributions side by side, by capability name. */
  async shownTo(account: Account | undefined): Promise<Record<string, unknown>> {
    const parts = await Promise.all(this.#contributions.map((part) => part(account)));
    return Object.assign({}, ...parts) as Record<string, unknown>;
  }
}
