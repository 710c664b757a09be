import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';

/** Timeout of a check. */
const CHECKS_MS = 3000;

/** Whether this process can serve a request now. */
@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  readonly #checks: { readonly what: string; readonly check: () => Promise<unknown> }[] = [];
  #stopping = false;

  /**
   * Adds a dependency of requests; `check` rejects while it is unavailable.
   *
   * @param what name in the response of `GET /health/ready`
   */
  requires(check: () => Promise<unknown>, what = 'database'): void {
    this.#checks.push({ what, check });
  }

  /** Names of unavailable dependencies; empty if ready. */
  async missing(): Promise<string[]> {
    if (this.#stopping) {
      return ['shutting down'];
    }
    const results = await Promise.all(this.#checks.map(({ check }) => passes(check)));
    return this.#checks.filter((_, place) => !results[place]).map(({ what }) => what);
  }

  /** Reports "not ready" from now on; requests are still served. */
  drain(): void {
    this.#stopping = true;
  }

  beforeApplicationShutdown(): void {
    this.drain();
  }
}

async function passes(check: () => Promise<unknown>): Promise<boolean> {
  const late = new AbortController();
  const passed = check().then(
    () => true,
    () => false,
  );
  const result = await Promise.race([passed, delay(CHECKS_MS, false, { signal: late.signal })]);
  late.abort();
  return result;
}
