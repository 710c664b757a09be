import { Injectable } from '@nestjs/common';
import { AsyncResource } from 'node:async_hooks';

/** However many connections arrive, a request begins after this time. */
const LONGEST_PAUSE_MS = 10;

/**
 * Requests of strangers begin one at a time, in turns of the event loop in which no connection arrives. Node.js
 * takes one connection in each turn, so the longer a turn is, the longer the connections of users wait in the
 * kernel behind those of strangers.
 */
@Injectable()
export class StrangerTurns {
  readonly #waiting: (() => void)[] = [];
  #hasArrived = false;
  #begunMs = 0;

  /** Call it for each connection. */
  connectionArrived(): void {
    this.#hasArrived = true;
  }

  begin(work: () => void): void {
    this.#waiting.push(AsyncResource.bind(work));
    if (this.#waiting.length === 1) {
      setImmediate(() => this.#turn());
    }
  }

  #turn(): void {
    const nowMs = performance.now();
    if (!this.#hasArrived || nowMs - this.#begunMs >= LONGEST_PAUSE_MS) {
      this.#begunMs = nowMs;
      this.#waiting.shift()?.();
    }
    this.#hasArrived = false;
    if (this.#waiting.length > 0) {
      setImmediate(() => this.#turn());
    }
  }
}
