import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';

/** A check that takes longer has failed. */
const CHECKS_MS = 3000;

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

  /** Names of what is not there; empty when requests can be served. */
  async missing(): Promise<string[]> {
    if (this.#stopping) {
      return ['shutting down'];
    }
    const results = await Promise.all(this.#checks.map(({ check }) => passes(check)));
    return this.#checks.filter((_, place) => !results[place]).map(({ what }) => what);
  }

  beforeApplicationShutdown(): void {
    this.#stopping = true;
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
