import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { randomBytes } from 'node:crypto';

// Argon2id, the library's default, at the minimum cost that OWASP recommends.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Slow, salted password hashes. */
@Injectable()
export class PasswordHash {
  /** Verified for an unknown user, so that the time taken does not reveal it: the hash of no known password. */
  readonly #decoy =
    `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}` +
    `$${encoded(randomBytes(16))}$${encoded(randomBytes(32))}`;

  async of(password: string): Promise<string> {
    return hash(normalised(password), COST);
  }

  /** @param passwordHash null for an unknown user; takes as long as a wrong password */
  async matches(password: string, passwordHash: string | null): Promise<boolean> {
    const matched = await verify(passwordHash ?? this.#decoy, normalised(password));
    return matched && passwordHash !== null;
  }
}

/** Systems enter "é" as one or two code points. */
function normalised(password: string): string {
  return password.normalize('NFC');
}

/** Base64 without padding, as in encoded hashes. */
function encoded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
