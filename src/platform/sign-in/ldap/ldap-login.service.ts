import { Injectable, Logger } from '@nestjs/common';
import { networkOf } from '../../../common/http/client-network.js';
import type { LoginAttempt } from '../../../common/ports/user-directory.js';
import { ManagedGroupsService } from '../../accounts/groups/managed-groups.service.js';
import { NewPasswords } from '../../accounts/passwords/new-passwords.service.js';
import { SecurityEventsService } from '../../accounts/security/security-events.service.js';
import { toldProfile } from '../../accounts/users/told-profile.js';
import { isUserId } from '../../accounts/users/user-id.js';
import { type AccountRow, UsersRepository } from '../../accounts/users/users.repository.js';
import { UsersService } from '../../accounts/users/users.service.js';
import {
  PasswordDirectoryOffer,
  type PasswordDirectory,
  type Verifier,
  type VerificationTurn,
  verificationTurns,
} from '../passwords/password-directory.offer.js';
import { LdapAccountsRepository } from './ldap-accounts.repository.js';
import { LdapDirectory, type ProvenDirectoryUser } from './ldap-directory.service.js';
import { LdapSettings } from './ldap.settings.js';

/**
 * Maps users of the directory to accounts by the permanent id of their entry. An existing account is
 * never matched by name alone, unless `GATEFOLD_LDAP_LINK_ACCOUNTS` is on.
 */
@Injectable()
export class LdapAccounts {
  readonly #logger = new Logger('Directory');

  constructor(
    private readonly linked: LdapAccountsRepository,
    private readonly users: UsersRepository,
    private readonly groups: ManagedGroupsService,
    private readonly accounts: UsersService,
    private readonly events: SecurityEventsService,
    private readonly settings: LdapSettings,
  ) {}

  /**
   * The account of a user with a verified password; creates it at the first login, and follows name, email,
   * groups and rights.
   *
   * @returns null when there is none for the user, and for a disabled one
   */
  async accountFor(user: ProvenDirectoryUser): Promise<AccountRow | null> {
    const account = (await this.linked.findByEntry(user.entryId)) ?? (await this.#first(user));
    if (!account || !(await this.#isUsable(account))) {
      return null;
    }
    const { userId } = account;
    const { adminGroup } = this.settings;
    await this.linked.followProfile(userId, toldProfile(user.name, user.email));
    if (user.groups !== undefined) {
      await this.groups.follow('ldap', userId, user.groups);
      if (adminGroup !== undefined) {
        await this.groups.followRights(account, user.groups.includes(adminGroup));
      }
    }
    return this.users.find(userId);
  }

  /** Enables a user who was missing in the directory and has reappeared before the next check. */
  async #isUsable({ userId, disabled }: AccountRow): Promise<boolean> {
    if (!disabled) {
      return true;
    }
    if (!(await this.linked.isDisabledByDirectory(userId))) {
      return false;
    }
    await this.users.enable(userId);
    await this.events.record({ kind: 'user_enabled', userId, details: 'by the directory' });
    return true;
  }

  async #first(user: ProvenDirectoryUser): Promise<AccountRow | null> {
    const { login: userId, entryId } = user;
    if (userId === undefined || !isUserId(userId)) {
      this.#logger.warn(
        `the attribute ${this.settings.loginAttribute} of ${user.dn} cannot be a user name`,
      );
      return null;
    }
    if ((await this.users.find(userId)) === null) {
      await this.accounts.addFromElsewhere({
        userId,
        link: this.linked.linkOfNew(entryId),
        details: 'from the directory',
      });
    } else if (this.settings.linkAccounts && (await this.linked.link(userId, entryId))) {
      await this.events.record({
        kind: 'user_changed',
        userId,
        details: 'linked to the directory',
      });
    }
    const account = await this.linked.findByEntry(entryId);
    if (account === null) {
      this.#logger.warn(`account ${userId} exists, but is not linked to ${user.dn}`);
    }
    return account;
  }
}

/** Connections of a process for logins; apart from the turns of hashes, since a directory may hang. */
const MOST_CONNECTIONS = 8;

/** Logins with passwords of the directory. */
@Injectable()
export class LdapLogin implements PasswordDirectory {
  readonly #turns = verificationTurns(MOST_CONNECTIONS);

  constructor(
    private readonly directory: LdapDirectory,
    private readonly accounts: LdapAccounts,
    private readonly linked: LdapAccountsRepository,
    private readonly settings: LdapSettings,
    offer: PasswordDirectoryOffer,
    newPasswords: NewPasswords,
  ) {
    offer.fill(this);
    newPasswords.onKeptElsewhere((userId) => linked.isLinked(userId));
  }

  async verifierOf(account: AccountRow | null): Promise<Verifier> {
    if (account === null || (await this.linked.isLinked(account.userId))) {
      return 'directory';
    }
    return this.settings.linkAccounts ? 'either' : 'service';
  }

  async authenticate(
    { userId, password, clientAddress }: LoginAttempt,
    turn: VerificationTurn,
  ): Promise<AccountRow | null> {
    const verify = async () => {
      await turn.begin();
      const user = await this.directory.logIn(userId, password);
      const account = user && (await this.accounts.accountFor(user));
      if (account === null) {
        await turn.refuse();
      }
      return account;
    };
    return this.#turns.run(networkOf(clientAddress), verify, turn.isKnown);
  }
}
