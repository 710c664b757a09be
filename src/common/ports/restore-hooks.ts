/** Where rooms register what has to be done once to a database that was filled from a backup. */
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
