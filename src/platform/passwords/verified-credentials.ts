import { Injectable } from '@nestjs/common';
import { createHmac, randomBytes } from 'node:crypto';
import { Clock } from '../../common/clock.js';

/** A password, and the account's hash that it was verified against. */
export interface VerifiedCredential {
  readonly userId: string;
  readonly password: string;
  readonly passwordHash: string;
}

const REMEMBERED_SECONDS = 300;
const MOST_REMEMBERED = 10_000;

/**
 * Cache of recently verified credentials, which avoids the slow hash. Holds only HMACs under a key
 * of this process. The account's salted hash is part of the HMAC, so a changed password or a
 * recreated account invalidates entries at once on every replica.
 */
@Injectable()
export class VerifiedCredentials {
  readonly #key = randomBytes(32);
  readonly #goodUntil = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  has(credential: VerifiedCredential): boolean {
    const goodUntil = this.#goodUntil.get(this.#digest(credential));
    return goodUntil !== undefined && this.clock.nowSeconds() < goodUntil;
  }

  remember(credential: VerifiedCredential): void {
    const digest = this.#digest(credential);
    // Deleted first, so that it moves to the end of the map.
    this.#goodUntil.delete(digest);
    this.#goodUntil.set(digest, this.clock.nowSeconds() + REMEMBERED_SECONDS);
    const oldest = this.#goodUntil.keys().next();
    if (this.#goodUntil.size > MOST_REMEMBERED && !oldest.done) {
      this.#goodUntil.delete(oldest.value);
    }
  }

  #digest({ userId, password, passwordHash }: VerifiedCredential): string {
    // As JSON, so that different credentials never have the same text.
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([userId, password, passwordHash]))
      .digest('base64');
  }
}
