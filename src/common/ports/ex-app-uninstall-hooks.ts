/** Deletes the data that one room stores for an external app. Must be idempotent. */
type ExAppUninstallHook = (appId: string) => Promise<void>;

/**
 * Rooms that store data for external apps register a hook that deletes it when the app is
 * unregistered.
 */
export class ExAppUninstallHooks {
  readonly #hooks: ExAppUninstallHook[] = [];

  onUninstall(hook: ExAppUninstallHook): void {
    this.#hooks.push(hook);
  }

  /** Runs while the app is disabled but still registered, so that an interrupted run is repeated. */
  async run(appId: string): Promise<void> {
    for (const hook of this.#hooks) {
      await hook(appId);
    }
  }
}
