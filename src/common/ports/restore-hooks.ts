/** Rooms register work that is done once after a restore from a backup. */
export class RestoreHooks {
  readonly #hooks: (() => Promise<void>)[] = [];

  onRestored(hook: () => Promise<void>): void {
    this.#hooks.push(hook);
  }

  async run(): Promise<void> {
    for (const hook of this.#hooks) {
      await hook();
    }
  }
}
