import { setTimeout } from 'node:timers/promises';

/** Waiting for time to pass. Injected, so that a test sees how long without waiting itself. */
export class Pause {
  /** Keeps no process alive that has nothing else to do. */
  async forSeconds(seconds: number): Promise<void> {
    await setTimeout(seconds * 1000, undefined, { ref: false });
  }
}
