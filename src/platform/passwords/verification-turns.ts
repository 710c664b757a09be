import { networkOf } from '../../common/http/client-network.js';
import { TooManyVerifications } from '../platform.errors.js';

const MOST_WAITING = 200;
/** So that one network cannot fill the queue. */
const MOST_WAITING_OF_NETWORK = 50;

/** Limits concurrent password verifications; first in, first out. */
export class VerificationTurns {
  readonly #waiting: { readonly network: string; readonly begin: () => void }[] = [];
  #running = 0;

  /** @param mostAtATime verifications that run at the same time */
  constructor(private readonly mostAtATime: number) {}

  /**
   * @param clientAddress sender of the password
   * @throws TooManyVerifications when the queue is full; also any error of `work`
   */
  async inTurn<Result>(clientAddress: string, work: () => Promise<Result>): Promise<Result> {
    await this.#begin(networkOf(clientAddress));
    try {
      return await work();
    } finally {
      this.#end();
    }
  }

  async #begin(network: string): Promise<void> {
    if (this.#running < this.mostAtATime) {
      this.#running += 1;
      return;
    }
    const ofNetwork = this.#waiting.filter((one) => one.network === network).length;
    if (this.#waiting.length >= MOST_WAITING || ofNetwork >= MOST_WAITING_OF_NETWORK) {
      throw new TooManyVerifications();
    }
    // The turn passes to the next in the queue, so the count does not change.
    await new Promise<void>((resolve) => this.#waiting.push({ network, begin: resolve }));
  }

  #end(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    next.begin();
  }
}
