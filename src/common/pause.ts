import { setTimeout } from 'node:timers/promises';

/** A timer. Injected, so that tests need not wait. */
export class Pause {
  /** Does not keep the process alive. */
  async forSeconds(seconds: number): Promise<void> {
    await setTimeout(seconds * 1000, undefined, { ref: false });
  }
}
