/** Hooks that run once the service listens. */
export class ListeningHooks {
  readonly #hooks: (() => Promise<void>)[] = [];

  add(hook: () => Promise<void>): void {
    this.#hooks.push(hook);
  }

  async run(): Promise<void> {
    for (const hook of this.#hooks) {
      await hook();
    }
  }
}
