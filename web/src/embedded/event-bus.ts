type Listener = (event: unknown) => void;

/** The form that packages of the field expect of a bus; they compare the first number. */
const VERSION = '3.3.0';

/** How bundles of scripts, each with packages of its own, tell one another what happened. */
export class EventBus {
  readonly #listeners = new Map<string, Set<Listener>>();

  getVersion(): string {
    return VERSION;
  }

  readonly subscribe = (name: string, listener: Listener): void => {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
  };

  readonly unsubscribe = (name: string, listener: Listener): void => {
    this.#listeners.get(name)?.delete(listener);
  };

  /** A listener that fails keeps no other from hearing. */
  readonly emit = (name: string, event?: unknown): void => {
    for (const listener of new Set(this.#listeners.get(name))) {
      try {
        listener(event);
      } catch (error) {
        reportError(error);
      }
    }
  };
}
