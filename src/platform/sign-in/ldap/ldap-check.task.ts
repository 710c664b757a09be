import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import {
  InstallationChecks,
  type CheckFinding,
} from '../../../common/ports/installation-checks.js';
import { DatabaseUnavailable } from '../../../database/database-unavailable.js';
import { Regularly } from '../../../database/regularly.js';
import { UsersService } from '../../accounts/users/users.service.js';
import { DirectoryUnavailable, LastAdministrator } from '../../platform.errors.js';
import { LdapAccountsRepository, type LinkedAccount } from './ldap-accounts.repository.js';
import { LdapDirectory, reasonOf } from './ldap-directory.service.js';
import { LdapSettings } from './ldap.settings.js';

const MINUTE_MS = 60_000;

/** Disables the accounts of users whom the directory no longer has, and enables them again. */
@Injectable()
export class LdapCheck {
  readonly #logger = new Logger('Directory');
  #nextMs = 0;

  constructor(
    private readonly directory: LdapDirectory,
    private readonly linked: LdapAccountsRepository,
    private readonly users: UsersService,
    private readonly settings: LdapSettings,
    private readonly clock: Clock,
    checks: InstallationChecks,
  ) {
    checks.add('Directory', () => this.#examine());
  }

  /** Begins a check when it is due. */
  @Regularly('directory', 60)
  async tick(): Promise<void> {
    const { checkMinutes } = this.settings;
    const nowMs = this.clock.now().getTime();
    if (checkMinutes === 0 || nowMs < this.#nextMs) {
      return;
    }
    this.#nextMs = nowMs + checkMinutes * MINUTE_MS;
    try {
      await this.run();
    } catch (error) {
      // The unavailability of the directory, or of the database, is logged elsewhere.
      if (!(error instanceof DirectoryUnavailable || error instanceof DatabaseUnavailable)) {
        this.#logger.error(`The check of accounts failed: ${reasonOf(error)}`);
      }
    }
  }

  /**
   * Compares all accounts of the directory with its users.
   *
   * @throws DirectoryUnavailable; then nothing has changed
   */
  async run(): Promise<void> {
    const accounts = await this.linked.list();
    if (accounts.length === 0) {
      return;
    }
    const there = await this.directory.allEntryIds();
    if (there.size === 0) {
      this.#logger.error(
        'The directory has no users at all, so no account is disabled: see GATEFOLD_LDAP_USER_BASE and GATEFOLD_LDAP_USER_FILTER.',
      );
      return;
    }
    for (const account of accounts) {
      await this.#follow(account, there.has(account.entryId));
    }
  }

  async #follow(account: LinkedAccount, isThere: boolean): Promise<void> {
    const { userId, disabled, disabledByDirectory } = account;
    if (isThere && disabledByDirectory) {
      await this.users.enable(userId);
    }
    if (isThere || disabled) {
      return;
    }
    try {
      await this.users.disable(userId);
      await this.linked.markDisabled(userId);
      this.#logger.log(`${userId} is disabled: the directory no longer has this user`);
    } catch (error) {
      if (!(error instanceof LastAdministrator)) {
        throw error;
      }
      this.#logger.warn(`${userId} is no longer in the directory, but the last administrator`);
    }
  }

  async #examine(): Promise<CheckFinding[]> {
    const { url } = this.settings;
    try {
      const { size } = await this.directory.allEntryIds();
      return size > 0
        ? [{ state: 'ok', text: `The directory ${url} answers; it has ${size} users.` }]
        : [
            {
              state: 'warning',
              text: `The directory ${url} answers, but has no users.`,
              advice: 'Check GATEFOLD_LDAP_USER_BASE and GATEFOLD_LDAP_USER_FILTER.',
            },
          ];
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      return [
        {
          state: 'error',
          text: `The directory ${url} cannot be used: ${reasonOf(cause ?? error)}`,
          advice:
            'Its users cannot log in; others can. Check the settings GATEFOLD_LDAP_…, the network and the certificate.',
        },
      ];
    }
  }
}
