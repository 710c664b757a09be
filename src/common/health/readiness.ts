import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';

/** Whether this process can serve a request now. */
@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  readonly #checks: { readonly what: string; readonly check: () => Promise<unknown> }[] = [];
  #stopping = false;

  /**
   * Adds something a request needs; `check` rejects while it is not there.
   *
   * @param what its name in the answer of `GET /health/ready`
   */
  requires(check: () => Promise<unknown>, what = 'database'): void {
    this.#checks.push({ what, check });
  }

  async isReady(): Promise<boolean> {
    return (await this.missing()).length === 0;
  }

  /** Names of what is not there; empty when requests can be served. */
  async missing(): Promise<string[]> {
    if (this.#stopping) {
      return ['shutting down'];
    }
    const results = await Promise.allSettled(this.#checks.map(({ check }) => check()));
    return this.#checks.filter((_, n) => results[n]?.status === 'rejected').map(({ what }) => what);
  }

  beforeApplicationShutdown(): void {
    this.#stopping = true;
  }
}
