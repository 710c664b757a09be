type Listener = (event: unknown) => void;

/** The interface of `@nextcloud/event-bus`; packages compare the major version. */
const VERSION = '3.3.0';

/** Events between script bundles, each of which contains its own copy of the package. */
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

  /** A failing listener does not affect the others. */
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
