import { hash, verify } from '@node-rs/argon2';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';

// Argon2id, the library's default kind, with the least cost that OWASP recommends.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Slow, salted password hashes. */
@Injectable()
export class PasswordHash {
  /** Nobody's password: checked in place of an unknown user's, so that time does not tell. */
  readonly #decoy = hash(randomBytes(32), COST);

  async of(password: string): Promise<string> {
    return hash(normalised(password), COST);
  }

  /** @param passwordHash null when there is no such user; takes as long as a wrong password does */
  async matches(password: string, passwordHash: string | null): Promise<boolean> {
    const matched = await verify(passwordHash ?? (await this.#decoy), normalised(password));
    return matched && passwordHash !== null;
  }
}

/** "é" is one character or two, depending on the system it was typed on. */
function normalised(password: string): string {
  return password.normalize('NFC');
}
