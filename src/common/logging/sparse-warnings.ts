import { Logger } from '@nestjs/common';
import { keepLatest } from '../keep-latest.js';

/** Interval at which a repeated warning is logged again, with a count. */
const LOG_AGAIN_MS = 600_000;
const MOST_REMEMBERED = 200;

/** Warnings that strangers can cause: the same one is logged once in ten minutes. */
export class SparseWarnings {
  readonly #logger: Logger;
  readonly #logged = new Map<string, { readonly at: number; unlogged: number }>();

  constructor(
    context: string,
    private readonly now: () => number = Date.now,
  ) {
    this.#logger = new Logger(context);
  }

  warn(message: string): void {
    const at = this.now();
    const last = this.#logged.get(message);
    if (last !== undefined && at - last.at < LOG_AGAIN_MS) {
      last.unlogged += 1;
    } else {
      this.#logger.warn(
        last?.unlogged ? `${message}; ${last.unlogged} more times before` : message,
      );
      keepLatest(this.#logged, message, { at, unlogged: 0 }, MOST_REMEMBERED);
    }
  }
}
