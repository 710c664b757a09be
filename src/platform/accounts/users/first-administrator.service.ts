import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Config } from '../../../common/config/config.js';
import { InvalidPassword } from '../../platform.errors.js';
import { AccountsSettings } from '../accounts.settings.js';
import { generatePassword } from '../passwords/new-passwords.service.js';
import { PasswordHash } from '../passwords/password-hash.service.js';
import { assertPassword } from '../passwords/password-rule.js';
import { assertUserId } from './user-id.js';
import { UsersRepository } from './users.repository.js';

/** Creates the first administrator at the first start. */
@Injectable()
export class FirstAdministrator implements OnApplicationBootstrap {
  /** Created by this start with a generated password, which is stored nowhere else. */
  created: { readonly userId: string; readonly password: string } | undefined;

  readonly #logger = new Logger('Accounts');

  constructor(
    private readonly config: Config,
    private readonly settings: AccountsSettings,
    private readonly users: UsersRepository,
    private readonly passwordHash: PasswordHash,
    private readonly http: HttpAdapterHost,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    // Not in a CLI command, which starts no web server: its log is discarded, and the password with
    // it; and it may create the first account itself.
    const servesRequests = Boolean(this.http?.httpAdapter);
    if (servesRequests) {
      await this.createIfNone();
    }
  }

  /**
   * Does nothing if an administrator exists. A generated password is written to the log if that is JSON;
   * otherwise the caller shows `created`.
   *
   * @throws InvalidUserId for an invalid configured name
   */
  async createIfNone(): Promise<void> {
    const { adminUser: userId, adminPassword } = this.settings;
    if (await this.users.hasAdministrator()) {
      if (adminPassword !== undefined) {
        this.#logger.log('GATEFOLD_ADMIN_PASSWORD is ignored: an administrator exists.');
      }
      return;
    }
    assertUserId(userId);
    if ((await this.users.find(userId)) !== null) {
      this.#logger.warn(
        `There is no administrator, and the user "${userId}" is not one. Promote a user with: gatefold user:promote NAME`,
      );
      return;
    }
    if (adminPassword !== undefined) {
      this.#warnAboutWeak(adminPassword);
    }
    const password = adminPassword ?? generatePassword();
    const added = await this.users.addFirstAdministrator({
      userId,
      displayName: userId,
      email: null,
      passwordHash: await this.passwordHash.of(password),
    });
    if (!added) {
      return;
    }
    if (adminPassword !== undefined) {
      this.#logger.log(`Created the administrator "${userId}" with the configured password.`);
      return;
    }
    this.created = { userId, password };
    if (this.config.logFormat === 'json') {
      // A warning, so that it is logged at that level, too.
      this.#logger.warn(
        `Created the administrator "${userId}" with the password: ${password} (it is not shown again)`,
      );
    }
  }

  /** Accepted with a warning: refusing it would prevent the start. */
  #warnAboutWeak(password: string): void {
    try {
      assertPassword(password, this.settings.adminUser, this.settings.shortestPassword);
    } catch (error) {
      if (!(error instanceof InvalidPassword)) {
        throw error;
      }
      this.#logger.warn(`GATEFOLD_ADMIN_PASSWORD is weak. ${error.message} Change it soon.`);
    }
  }
}
