import { randomInt } from 'node:crypto';
import { hashOf } from '../../../common/secrets/token-hash.js';

const CODES = 10;
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** 32 signs, none of which looks like another. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Ten codes such as `k7wd-m2fq-x9ab-3hjn`, of 80 random bits each. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () =>
    Array.from({ length: GROUPS }, () =>
      Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''),
    ).join('-'),
  );
}

/**
 * Upper case, blanks and missing hyphens do not matter.
 *
 * @returns null for what cannot be a recovery code
 */
export function recoveryCodeHash(code: string): Buffer | null {
  const signs = code.toLowerCase().replaceAll(/[\s-]/g, '');
  return new RegExp(`^[${ALPHABET}]{${GROUPS * GROUP_LENGTH}}$`).test(signs) ? hashOf(signs) : null;
}

export function recoveryCodeHashes(codes: readonly string[]): Buffer[] {
  return codes.flatMap((code) => recoveryCodeHash(code) ?? []);
}
