import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../../common/clock.js';
import { keepLatest } from '../../../common/keep-latest.js';

/** A password, and the account's hash that it was verified against. */
export interface TriedCredential {
  readonly userId: string;
  readonly password: string;
  /** Null without an account. */
  readonly passwordHash: string | null;
  /** Network of the sender, if the result is for it alone. */
  readonly network?: string;
}

const MOST_REMEMBERED = 10_000;

/**
 * Credentials of which the result of the slow hash is known. Holds only HMACs under a key of this
 * process. The account's salted hash is part of the HMAC, so a changed password or a recreated account
 * invalidates entries at once on every replica.
 */
export class CredentialDigests {
  readonly #key = randomBytes(32);
  readonly #goodUntil = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  has(credential: TriedCredential): boolean {
    const goodUntil = this.#goodUntil.get(this.#digest(credential));
    return goodUntil !== undefined && this.clock.nowSeconds() < goodUntil;
  }

  remember(credential: TriedCredential, seconds: number): void {
    const digest = this.#digest(credential);
    keepLatest(this.#goodUntil, digest, this.clock.nowSeconds() + seconds, MOST_REMEMBERED);
  }

  #digest({ userId, password, passwordHash, network }: TriedCredential): string {
    // JSON, so that different credentials never have the same text.
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([userId, password, passwordHash, network]))
      .digest('base64');
  }
}
