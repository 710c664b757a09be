import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { networkOf } from '../../../common/http/client-network.js';
import type { LoginAttempt } from '../../../common/ports/user-directory.js';
import {
  PasswordDirectoryOffer,
  type PasswordDirectory,
  type Verifier,
  type VerificationTurn,
} from '../passwords/password-directory.js';
import { verificationTurns } from '../passwords/verification-turns.js';
import { NewPasswords } from '../../accounts/passwords/new-passwords.js';
import type { AccountRow } from '../../accounts/users/users.repository.js';
import { LdapAccounts } from './ldap-accounts.js';
import { LdapAccountsRepository } from './ldap-accounts.repository.js';
import { LdapDirectory } from './ldap-directory.js';

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
