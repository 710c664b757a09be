import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Config } from '../../../common/config/config.js';
import type { LoginAttempt } from '../../../common/ports/user-directory.js';
import type { AccountRow } from '../../accounts/users/users.repository.js';
import { CredentialVerifier } from './credential-verifier.js';
import { CredentialDigests, type TriedCredential } from './credential-digests.js';

/**
 * How long a verified password needs no hash, and no permission of the throttle: wrong guesses of others
 * in the same network do not lock out its programs.
 */
const OWN_SECONDS = 86_400;
/** A directory does not say when a password changes. */
const DIRECTORY_SECONDS = 300;

/** Verifies passwords of accounts; the slow hash, or the directory, is skipped for recently verified ones. */
@Injectable()
export class PasswordVerification {
  readonly #verified: CredentialDigests;
  /** Verifications in progress, so that a burst of first requests costs one hash. */
  readonly #underWay = new Map<string, Promise<AccountRow | null>>();

  constructor(
    private readonly verifier: CredentialVerifier,
    private readonly config: Config,
    clock: Clock,
  ) {
    this.#verified = new CredentialDigests(clock);
  }

  /**
   * @param account null for an unknown user, which takes as long as a wrong password
   * @returns the account that the password is right for; the directory may have added it
   * @throws DirectoryUnavailable for a user of the directory
   */
  async ownerOf(attempt: LoginAttempt, account: AccountRow | null): Promise<AccountRow | null> {
    if (account !== null && this.#verified.has(credentialOf(attempt, account))) {
      return account;
    }
    const key = JSON.stringify([
      attempt.userId,
      attempt.password,
      attempt.clientAddress,
      account?.passwordHash,
    ]);
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) {
      return underWay;
    }
    const verification = this.#verify(attempt, account).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, verification);
    return verification;
  }

  async #verify(attempt: LoginAttempt, account: AccountRow | null): Promise<AccountRow | null> {
    const owner = await this.verifier.verify(attempt, account);
    if (owner !== null) {
      const seconds = this.config.ldap === undefined ? OWN_SECONDS : DIRECTORY_SECONDS;
      this.#verified.remember(credentialOf(attempt, owner), seconds);
    }
    return owner;
  }
}

function credentialOf(
  { userId, password }: LoginAttempt,
  { passwordHash }: AccountRow,
): TriedCredential {
  return { userId, password, passwordHash };
}
