import { Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import { PasswordElsewhere } from '../../platform.errors.js';
import { AccountsSettings } from '../accounts.settings.js';
import { PasswordHash } from './password-hash.service.js';
import { assertPassword } from './password-rule.js';

// Excludes characters that look alike.
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 24;

/** Checks and hashes the passwords that users choose. */
@Injectable()
export class NewPasswords {
  readonly #keptElsewhere: ((userId: string) => Promise<boolean>)[] = [];

  constructor(
    private readonly settings: AccountsSettings,
    private readonly passwordHash: PasswordHash,
  ) {}

  /** @param keeps whether a directory verifies the password of the account */
  onKeptElsewhere(keeps: (userId: string) => Promise<boolean>): void {
    this.#keptElsewhere.push(keeps);
  }

  /** @throws InvalidPassword when the password breaks the rule of this installation */
  assertAllowed(password: string, userId: string): void {
    assertPassword(password, userId, this.settings.shortestPassword);
  }

  /**
   * @returns the hash to store
   * @throws InvalidPassword when the password breaks the rule of this installation
   * @throws PasswordElsewhere for a user of the directory
   */
  async hash(password: string, userId: string): Promise<string> {
    this.assertAllowed(password, userId);
    for (const keeps of this.#keptElsewhere) {
      if (await keeps(userId)) {
        throw new PasswordElsewhere();
      }
    }
    return this.passwordHash.of(password);
  }

  /** The hash of a discarded random password. */
  unknown(): Promise<string> {
    return this.passwordHash.of(generatePassword());
  }
}

/** A random password of 24 characters, some 139 bits. */
export function generatePassword(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
