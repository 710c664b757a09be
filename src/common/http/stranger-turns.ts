import { Injectable } from '@nestjs/common';
import { AsyncResource } from 'node:async_hooks';

/** The first in line waits no longer, however many connections arrive. */
const LONGEST_PAUSE_MS = 10;

/**
 * Requests of strangers begin one at a time, in turns of the event loop in which no connection arrives. Node.js
 * takes one connection in each turn, so the longer a turn is, the longer the connections of users wait in the
 * kernel behind those of strangers.
 */
@Injectable()
export class StrangerTurns {
  readonly #waiting = new Set<() => void>();
  #isScheduled = false;
  #hasArrived = false;
  #begunMs = 0;

  /** Call it for each connection. */
  connectionArrived(): void {
    this.#hasArrived = true;
  }

  /** @returns leaves the line; call it when the client has gone, since the shares of clients bound the line */
  begin(work: () => void): () => void {
    const bound = AsyncResource.bind(work);
    this.#waiting.add(bound);
    this.#schedule();
    return () => void this.#waiting.delete(bound);
  }

  #schedule(): void {
    if (!this.#isScheduled && this.#waiting.size > 0) {
      this.#isScheduled = true;
      setImmediate(() => this.#turn());
    }
  }

  #turn(): void {
    this.#isScheduled = false;
    const nowMs = performance.now();
    const mayBegin = !this.#hasArrived || nowMs - this.#begunMs >= LONGEST_PAUSE_MS;
    const [first] = mayBegin ? this.#waiting : [];
    this.#hasArrived = false;
    if (first !== undefined) {
      this.#begunMs = nowMs;
      this.#waiting.delete(first);
    }
    this.#schedule();
    first?.();
  }
}
