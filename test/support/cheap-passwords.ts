import { hash } from '@node-rs/argon2';
import type { PasswordHash } from '../../src/platform/accounts/passwords/password-hash.service.js';

/** For Argon2; a password is verified at the cost stored in its hash. */
const LEAST_COST = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** Specs create thousands of users, whose passwords need no protection. */
export function useCheapPasswords(passwords: PasswordHash): void {
  passwords.of = (password) => hash(password.normalize('NFC'), LEAST_COST);
}
