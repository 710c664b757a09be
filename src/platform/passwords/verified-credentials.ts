import { Injectable } from '@nestjs/common';
import { createHmac, randomBytes } from 'node:crypto';
import { Clock } from '../../common/clock.js';

/** What was verified: a password against the hash that the account had at that moment. */
export interface VerifiedCredential {
  readonly userId: string;
  readonly password: string;
  readonly passwordHash: string;
}

const REMEMBERED_SECONDS = 300;
const MOST_REMEMBERED = 10_000;

/**
 * Spares the slow hash for credentials that were verified a moment ago. Holds only digests under a
 * key that never leaves this process. The account's salted hash is part of the digest, so a changed
 * password forgets the old one on every replica at once, and a name used again starts anew.
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
    // Deleted first, so that it moves to the young end of the map.
    this.#goodUntil.delete(digest);
    this.#goodUntil.set(digest, this.clock.nowSeconds() + REMEMBERED_SECONDS);
    const oldest = this.#goodUntil.keys().next();
    if (this.#goodUntil.size > MOST_REMEMBERED && !oldest.done) {
      this.#goodUntil.delete(oldest.value);
    }
  }

  #digest({ userId, password, passwordHash }: VerifiedCredential): string {
    // As JSON, so that no two different credentials run together into one text.
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([userId, password, passwordHash]))
      .digest('base64');
  }
}
