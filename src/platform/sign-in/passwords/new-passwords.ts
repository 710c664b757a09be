import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { LdapAccountsRepository } from '../ldap/ldap-accounts.repository.js';
import { PasswordElsewhere } from '../../platform.errors.js';
import { PasswordHash } from './password-hash.js';
import { assertPassword } from './password-rule.js';

/** Checks and hashes the passwords that users choose. */
@Injectable()
export class NewPasswords {
  constructor(
    private readonly config: Config,
    private readonly passwordHash: PasswordHash,
    private readonly directoryAccounts: LdapAccountsRepository,
  ) {}

  /** @throws InvalidPassword when the password breaks the rule of this installation */
  assertAllowed(password: string, userId: string): void {
    assertPassword(password, userId, this.config.shortestPassword);
  }

  /**
   * @returns the hash to store
   * @throws InvalidPassword when the password breaks the rule of this installation
   * @throws PasswordElsewhere for a user of the directory
   */
  async hash(password: string, userId: string): Promise<string> {
    this.assertAllowed(password, userId);
    if (this.config.ldap !== undefined && (await this.directoryAccounts.isLinked(userId))) {
      throw new PasswordElsewhere();
    }
    return this.passwordHash.of(password);
  }
}
