import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';

/** A check that takes longer has failed. */
const CHECKS_MS = 3000;

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
    const late = new AbortController();
    const results = await Promise.race([
      Promise.allSettled(this.#checks.map((check) => check())),
      delay(CHECKS_MS, [{ status: 'late' }], { signal: late.signal }),
    ]);
    late.abort();
    return results.every(({ status }) => status === 'fulfilled');
  }

  beforeApplicationShutdown(): void {
    this.#stopping = true;
  }
}
