import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { networkOf } from '../../../common/http/client-network.js';
import type { LoginAttempt } from '../../../common/ports/user-directory.js';
import { verificationTurns } from '../passwords/verification-turns.js';
import type { AccountRow } from '../../accounts/users/users.repository.js';
import { LdapAccounts } from './ldap-accounts.js';
import { LdapAccountsRepository } from './ldap-accounts.repository.js';
import { LdapDirectory } from './ldap-directory.js';

/** Connections of a process for logins; apart from the turns of hashes, since a directory may hang. */
const MOST_CONNECTIONS = 8;

/** Who verifies a password. `either`: the service, and the directory if it is wrong here. */
export type Verifier = 'service' | 'directory' | 'either';

/** The turn of an attempt, which counts for the throttle. */
export interface VerificationTurn {
  /** Whether it waits in the lane of those who logged in before. */
  readonly isKnown: boolean;
  /** @throws TooManyLoginAttempts */
  begin(): Promise<void>;
  /** The credentials are wrong. */
  refuse(): Promise<void>;
}

/** Logins with passwords of the directory. */
@Injectable()
export class LdapLogin {
  readonly #turns = verificationTurns(MOST_CONNECTIONS);

  constructor(
    private readonly directory: LdapDirectory,
    private readonly accounts: LdapAccounts,
    private readonly linked: LdapAccountsRepository,
    private readonly config: Config,
  ) {}

  /** @param account null for a name without an account that can log in */
  async verifierOf(account: AccountRow | null): Promise<Verifier> {
    if (this.config.ldap === undefined) {
      return 'service';
    }
    if (account === null || (await this.linked.isLinked(account.userId))) {
      return 'directory';
    }
    return this.config.ldap.linkAccounts ? 'either' : 'service';
  }

  /**
   * @returns null for wrong credentials, and for users without an account that they may have
   * @throws DirectoryUnavailable
   * @throws TooManyVerifications
   */
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
