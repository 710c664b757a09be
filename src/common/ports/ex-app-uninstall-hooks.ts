/**
 * Deletes the data that one room stores for an external app. Must be idempotent.
 *
 * @param keepData keeps its values for the next registration under the same id
 */
type ExAppUninstallHook = (appId: string, keepData: boolean) => Promise<void>;

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
  async run(appId: string, keepData: boolean): Promise<void> {
    for (const hook of this.#hooks) {
      await hook(appId, keepData);
    }
  }
}
