/** Removes everything one room keeps because of an external app. Must be repeatable. */
export type AppForgetter = (appId: string) => Promise<void>;

/**
 * Where rooms that keep something because of external apps register how to remove it, so that an app
 * which is unregistered leaves nothing behind, and one that comes back under its name begins anew.
 */
export class AppDepartures {
  readonly #forgetters: AppForgetter[] = [];

  onDeparture(forgetter: AppForgetter): void {
    this.#forgetters.push(forgetter);
  }

  /** Called while the app is disabled and still known, so that a departure cut short is repeated. */
  async depart(appId: string): Promise<void> {
    for (const forget of this.#forgetters) {
      await forget(appId);
    }
  }
}
