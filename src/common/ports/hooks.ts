/** Work that subjects register, and that the owner of its occasion runs: one after the other. */
abstract class Hooks<Args extends readonly unknown[] = []> {
  readonly #hooks: ((...args: Args) => Promise<void>)[] = [];

  add(hook: (...args: Args) => Promise<void>): void {
    this.#hooks.push(hook);
  }

  async run(...args: Args): Promise<void> {
    for (const hook of this.#hooks) {
      await hook(...args);
    }
  }
}

/** Each removes all data of a deleted account in one room. Must be idempotent. */
export class AccountDeletionHooks extends Hooks<[userId: string]> {}

/**
 * Each deletes the data that one room stores for an external app; with `keepData` not its values, for the
 * next registration under the same id. Must be idempotent: they run while the app is disabled but still
 * registered, so that an interrupted run is repeated.
 */
export class ExAppUninstallHooks extends Hooks<[appId: string, keepData: boolean]> {}

/** Run once the service listens. */
export class ListeningHooks extends Hooks {}

/** Run once after a restore from a backup. */
export class RestoreHooks extends Hooks {}
