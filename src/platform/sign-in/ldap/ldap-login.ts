import { Injectable, Logger } from '@nestjs/common';
import { Config, type LdapSettings } from '../../../common/config/config.js';
import { networkOf } from '../../../common/http/client-network.js';
import type { LoginAttempt } from '../../../common/ports/user-directory.js';
import {
  PasswordDirectoryOffer,
  type PasswordDirectory,
  type Verifier,
  type VerificationTurn,
  verificationTurns,
} from '../passwords/password-directory.js';
import { NewPasswords, generatePassword } from '../../accounts/passwords/new-passwords.js';
import { type AccountRow, UsersRepository } from '../../accounts/users/users.repository.js';
import { LdapAccountsRepository } from './ldap-accounts.repository.js';
import { LdapDirectory, type ProvenDirectoryUser } from './ldap-directory.js';
import { ManagedGroupsService } from '../../accounts/groups/managed-groups.service.js';
import { PasswordHash } from '../../accounts/passwords/password-hash.js';
import { AccountAlreadyExists } from '../../platform.errors.js';
import { SecurityEventsService } from '../../accounts/security/security-events.service.js';
import { isEmail } from '../../accounts/users/email.js';
import { isUserId } from '../../accounts/users/user-id.js';

const LONGEST_DISPLAY_NAME = 200;

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
    private readonly passwordHash: PasswordHash,
    private readonly events: SecurityEventsService,
    private readonly config: Config,
  ) {}

  /**
   * The account of a user whose password was right; creates it at the first login, and follows name,
   * email, groups and rights.
   *
   * @returns null when there is none that the user may have, and for a disabled one
   */
  async accountFor(user: ProvenDirectoryUser): Promise<AccountRow | null> {
    const { ldap: settings } = this.config;
    const account =
      settings &&
      ((await this.linked.findByEntry(user.entryId)) ?? (await this.#first(settings, user)));
    if (settings === undefined || !account || !(await this.#isUsable(account))) {
      return null;
    }
    const { userId } = account;
    await this.linked.updateProfile(userId, { name: nameOf(user), email: emailOf(user) });
    if (user.groups !== undefined) {
      await this.groups.follow('ldap', userId, user.groups);
      if (settings.adminGroup !== undefined) {
        await this.groups.followRights(account, user.groups.includes(settings.adminGroup));
      }
    }
    return this.users.find(userId);
  }

  /** Somebody whom the directory had lost is there again before the next check. */
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

  async #first(settings: LdapSettings, user: ProvenDirectoryUser): Promise<AccountRow | null> {
    const { login: userId, entryId } = user;
    if (userId === undefined || !isUserId(userId)) {
      this.#logger.warn(
        `the attribute ${settings.loginAttribute} of ${user.dn} cannot be a user name`,
      );
      return null;
    }
    if ((await this.users.find(userId)) === null) {
      await this.#create(userId, user);
    } else if (settings.linkAccounts && (await this.linked.link(userId, entryId))) {
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

  async #create(userId: string, user: ProvenDirectoryUser): Promise<void> {
    try {
      await this.users.add({
        userId,
        displayName: userId,
        email: null,
        isAdmin: false,
        // Nobody knows it: the directory verifies passwords.
        passwordHash: await this.passwordHash.of(generatePassword()),
        link: this.linked.linkOfNew(user.entryId),
      });
      await this.events.record({ kind: 'user_created', userId, details: 'from the directory' });
    } catch (error) {
      // A concurrent login may have created the account; it is looked up again.
      if (!(error instanceof AccountAlreadyExists)) {
        throw error;
      }
    }
  }
}

function nameOf({ name }: ProvenDirectoryUser): string | undefined {
  const clean = name?.replace(/\p{Cc}/gu, '').trim();
  return clean?.slice(0, LONGEST_DISPLAY_NAME).trim() || undefined;
}

function emailOf({ email }: ProvenDirectoryUser): string | undefined {
  return email !== undefined && isEmail(email) ? email : undefined;
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
    private readonly config: Config,
    offer: PasswordDirectoryOffer,
    newPasswords: NewPasswords,
  ) {
    if (config.ldap !== undefined) {
      offer.fill(this);
      newPasswords.onKeptElsewhere((userId) => linked.isLinked(userId));
    }
  }

  async verifierOf(account: AccountRow | null): Promise<Verifier> {
    if (account === null || (await this.linked.isLinked(account.userId))) {
      return 'directory';
    }
    return this.config.ldap?.linkAccounts ? 'either' : 'service';
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
