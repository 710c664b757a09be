import { createHash, timingSafeEqual } from 'node:crypto';

/** SHA-256. Enough for random tokens, which cannot be guessed; passwords need a slow hash. */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Compares secrets of any length in constant time. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(hashOf(given), hashOf(expected));
}
