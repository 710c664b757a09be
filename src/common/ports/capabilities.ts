import type { Account } from './user-directory.js';

/**
 * Capabilities of one room by name.
 *
 * @param account the caller; undefined for an anonymous request, which gets only public
 *   capabilities
 */
type CapabilityContribution = (
  account: Account | undefined,
) => Record<string, unknown> | Promise<Record<string, unknown>>;

/** Rooms contribute their capabilities, which `cloud/capabilities` returns. */
export class Capabilities {
  readonly #contributions: CapabilityContribution[] = [];

  contribute(contribution: CapabilityContribution): void {
    this.#contributions.push(contribution);
  }

  /** All contributions, by capability name. */
  async shownTo(account: Account | undefined): Promise<Record<string, unknown>> {
    const parts = await Promise.all(this.#contributions.map((part) => part(account)));
    return Object.assign({}, ...parts) as Record<string, unknown>;
  }
}
