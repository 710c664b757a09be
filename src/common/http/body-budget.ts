import type { Sender } from '../auth/sender.js';
import { DomainError } from '../errors/domain-error.js';

interface BudgetBytes {
  /** Of everybody together of whom nothing is known. */
  readonly anonymous: number;
  /** Of one network of which nothing else is known. */
  readonly network: number;
  /** Of one user or one external app. */
  readonly known: number;
}

const RETRY_AFTER_SECONDS = 5;

/** One sender has as many bodies under way as one may have. */
export class TooManyBodies extends DomainError {
  readonly kind = 'too-many';
  override readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  constructor(mostBytes: number) {
    super(`Your requests under way hold more than ${mostBytes} bytes; wait for one of them.`);
  }
}

/** Strangers together have as many bodies under way as there is room for. */
export class NoRoomForBody extends DomainError {
  readonly kind = 'unavailable';
  override readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  constructor() {
    super('Too many requests are under way. Try again in a moment.');
  }
}

/** Counts the bytes of request bodies that are held in memory, by who sent them. */
export class BodyBudget {
  readonly #bytesOf = new Map<string, number>();
  #anonymousBytes = 0;

  constructor(private readonly most: BudgetBytes) {}

  /** Bytes that strangers hold at this moment. */
  get anonymousBytes(): number {
    return this.#anonymousBytes;
  }

  /**
   * @throws TooManyBodies
   * @throws NoRoomForBody
   */
  take(sender: Sender, bytes: number): void {
    const own = (this.#bytesOf.get(sender.key) ?? 0) + bytes;
    const most = sender.known ? this.most.known : this.most.network;
    if (own > most) {
      throw new TooManyBodies(most);
    }
    if (!sender.known && this.#anonymousBytes + bytes > this.most.anonymous) {
      throw new NoRoomForBody();
    }
    this.#bytesOf.set(sender.key, own);
    this.#anonymousBytes += sender.known ? 0 : bytes;
  }

  giveBack(sender: Sender, bytes: number): void {
    const left = (this.#bytesOf.get(sender.key) ?? 0) - bytes;
    if (left > 0) {
      this.#bytesOf.set(sender.key, left);
    } else {
      this.#bytesOf.delete(sender.key);
    }
    this.#anonymousBytes -= sender.known ? 0 : bytes;
  }
}
