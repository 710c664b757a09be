import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';

/** Whether this process can serve a request now. */
@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  readonly #checks: (() => Promise<unknown>)[] = [];
  #stopping = false;

  /** Adds something a request needs; `check` rejects while it is not there. */
  requires(check: () => Promise<unknown>): void {
    this.#checks.push(check);
  }

  async isReady(): Promise<boolean> {
    if (this.#stopping) {
      return false;
    }
    const results = await Promise.allSettled(this.#checks.map((check) => check()));
    return results.every(({ status }) => status === 'fulfilled');
  }

  beforeApplicationShutdown(): void {
    this.#stopping = true;
  }
}
