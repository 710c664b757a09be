import { hash, randomBytes } from 'node:crypto';
import { hashOf } from '../../../common/secrets/token-hash.js';

const TOKEN_BYTES = 32;
const TOKEN_SHAPE = /^gf-[A-Za-z0-9_-]{43}$/;
const FEVER_KEY_SHAPE = /^[0-9a-f]{32}$/i;

export function newToken(): string {
  return `gf-${randomBytes(TOKEN_BYTES).toString('base64url')}`;
}

/** Whether the text could be a token. */
export function isToken(text: string): boolean {
  return TOKEN_SHAPE.test(text);
}

/** The key that programs make from user name and token for the Fever API. */
export function feverKeyOf(userId: string, token: string): string {
  return hash('md5', `${userId}:${token}`, 'hex');
}

/** @returns the stored form; null for a text that is no key */
export function feverKeyHash(key: string): Buffer | null {
  return FEVER_KEY_SHAPE.test(key) ? hashOf(key.toLowerCase()) : null;
}
