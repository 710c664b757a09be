import type { Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnavailable } from './database-unavailable.js';
import { limitedAs } from './statement-limits.js';

const STOP_WITHIN_MS = 5000;

/** Periodic tasks of this process, each at most once at a time. Errors are logged, not thrown. */
export class BackgroundTasks {
  readonly #running = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();

  constructor(private readonly logger: Logger) {}

  get isStopping(): boolean {
    return this.#stop.signal.aborted;
  }

  isRunning(task: string): boolean {
    return this.#running.has(task);
  }

  /** Runs the task, or waits for the running one. Does nothing after `stop`. */
  run(task: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    const running = this.#running.get(task);
    if (running !== undefined || signal.aborted) {
      return running ?? Promise.resolve();
    }
    // Limited as background work even if a request started it.
    const started = limitedAs('background', () => work(signal))
      .catch((error: Error) => {
        // The next run retries. The database's absence is logged already.
        if (!(error instanceof DatabaseUnavailable)) {
          this.logger.error(`${task} failed: ${error.message}`);
        }
      })
      .finally(() => this.#running.delete(task));
    this.#running.set(task, started);
    return started;
  }

  /** Aborts the signal of the tasks and waits for their end, at most `withinMs`. */
  async stop(withinMs = STOP_WITHIN_MS): Promise<void> {
    this.#stop.abort();
    const ended = Promise.all(this.#running.values());
    await Promise.race([ended, delay(withinMs, undefined, { ref: false })]);
  }
}
