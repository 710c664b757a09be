import { randomInt } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { hashOf } from '../../../common/secrets/token-hash.js';

/** Supported by every authenticator app; the address names the same values. */
const PERIOD_SECONDS = 30;
const FORM = { algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS } as const;

/** Tolerance of one step before and after: clocks differ, and users need time to type. */
const STEPS_OF_DIFFERENCE = 1;

/** A secret of an authenticator app, and its enrolment address. */
export interface TotpEnrolment {
  /** Base32, to be typed. */
  readonly secret: string;
  /** `otpauth:` address, for a QR code. */
  readonly address: string;
}

/** 160 random bits in base32. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** @param host name of this installation, which distinguishes accounts in the app */
export function totpAddress(secret: string, userId: string, host: string): string {
  return new TOTP({ ...FORM, issuer: `Gatefold (${host})`, label: userId, secret }).toString();
}

/**
 * @param code six digits; blanks in between are ignored
 * @returns the step of the code, in half minutes since 1970; null for a wrong code
 */
export function stepOfCode(secret: string, code: string, now: Date): number | null {
  const totp = new TOTP({ ...FORM, secret });
  const timestamp = now.getTime();
  const token = code.replaceAll(/\s/g, '');
  const difference = /^\d{6}$/.test(token)
    ? totp.validate({ token, timestamp, window: STEPS_OF_DIFFERENCE })
    : null;
  return difference === null ? null : totp.counter({ timestamp }) + difference;
}

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
 * @returns null for a text that cannot be a recovery code
 */
export function recoveryCodeHash(code: string): Buffer | null {
  const signs = code.toLowerCase().replaceAll(/[\s-]/g, '');
  return new RegExp(`^[${ALPHABET}]{${GROUPS * GROUP_LENGTH}}$`).test(signs) ? hashOf(signs) : null;
}

export function recoveryCodeHashes(codes: readonly string[]): Buffer[] {
  return codes.flatMap((code) => recoveryCodeHash(code) ?? []);
}
