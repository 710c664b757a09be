import { Counts } from '../counts.js';
import { tooMany, unavailable } from '../errors/domain-error.js';
import type { Sender } from './sender.js';

interface BudgetBytes {
  /** Limit of all anonymous senders together. */
  readonly anonymous: number;
  /** Anonymous senders of one network. */
  readonly network: number;
  /** Limit of one user or external app. */
  readonly known: number;
}

const RETRY_AFTER_SECONDS = 5;

/** The sender's limit is reached. */
export class TooManyBodies extends tooMany(
  (mostBytes: number) =>
    `Your requests in progress have more than ${mostBytes} bytes; wait until one has finished.`,
  { retryAfterSeconds: RETRY_AFTER_SECONDS },
) {}

/** The limit of all anonymous senders is reached. */
export class NoRoomForBody extends unavailable(
  'Too many requests are in progress. Try again in a moment.',
  { retryAfterSeconds: RETRY_AFTER_SECONDS },
) {}

/** Counts bytes of request bodies in memory by sender. */
export class BodyBudget {
  readonly #bytesOf = new Counts();
  #anonymousBytes = 0;

  constructor(private readonly most: BudgetBytes) {}

  get anonymousBytes(): number {
    return this.#anonymousBytes;
  }

  /**
   * @throws TooManyBodies
   * @throws NoRoomForBody
   */
  take(sender: Sender, bytes: number): void {
    const own = this.#bytesOf.of(sender.key) + bytes;
    const most = sender.known ? this.most.known : this.most.network;
    if (own > most) {
      throw new TooManyBodies(most);
    }
    if (!sender.known && this.#anonymousBytes + bytes > this.most.anonymous) {
      throw new NoRoomForBody();
    }
    this.#bytesOf.add(sender.key, bytes);
    this.#anonymousBytes += sender.known ? 0 : bytes;
  }

  giveBack(sender: Sender, bytes: number): void {
    this.#bytesOf.add(sender.key, -bytes);
    this.#anonymousBytes -= sender.known ? 0 : bytes;
  }
}
