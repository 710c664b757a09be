import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Config } from '../../../common/config/config.js';
import type { Account, LoginAttempt } from '../../../common/ports/user-directory.js';
import { LatestTimes } from '../../../database/latest-times.js';
import { Regularly } from '../../../database/regularly.js';
import { isUserId } from '../../accounts/users/user-id.js';
import {
  toAccount,
  UsersRepository,
  type AccountRow,
} from '../../accounts/users/users.repository.js';
import { SignInSettings } from '../sign-in.settings.js';
import { CredentialDigests, type TriedCredential } from './credential-digests.js';
import { CredentialVerifier } from './credential-verifier.service.js';

/**
 * How long a verified password needs no hash, and no permission of the throttle: wrong guesses of others
 * in the same network do not lock out its programs.
 */
const OWN_SECONDS = 86_400;
/**
 * A directory does not say when a password changes. Longer than the interval of clients: not every poll
 * asks it.
 */
const DIRECTORY_SECONDS = 900;

/**
 * Logins with the password of an account. Reads the account each time, so that a changed password,
 * disabled account or revoked right takes effect at once on every replica.
 */
@Injectable()
export class LoginService implements BeforeApplicationShutdown {
  readonly #verified: CredentialDigests;
  readonly #logins = new LatestTimes<string>((userIds, times) =>
    this.users.changeLastLogins(userIds, times),
  );
  /** Verifications in progress, so that a burst of first requests costs one hash. */
  readonly #underWay = new Map<string, Promise<AccountRow | null>>();

  constructor(
    private readonly users: UsersRepository,
    private readonly verifier: CredentialVerifier,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    this.#verified = new CredentialDigests(clock);
  }

  /**
   * Verifies the account's password alone. The caller checks the second factor if required, and then calls
   * `enter`.
   *
   * @returns null for a wrong password, an unknown user or a disabled account
   * @throws DirectoryUnavailable for a user of the directory
   */
  async ownerOfPassword(attempt: LoginAttempt): Promise<AccountRow | null> {
    const found = isUserId(attempt.userId) ? await this.users.find(attempt.userId) : null;
    const account = found === null || found.disabled ? null : found;
    return this.#ownerOf(attempt, account);
  }

  /** Records the login of an authenticated account. */
  async enter(account: AccountRow): Promise<Account> {
    this.#logins.note(account.userId, this.clock.now());
    if (account.lastLoginSeconds === 0) {
      await this.#logins.write();
    }
    return toAccount({ ...account, lastLoginSeconds: this.clock.nowSeconds() });
  }

  /** Writes the times of last logins. A first one does not wait for it: an invitation ends with it. */
  @Regularly('last-logins', 60)
  async writeLogins(): Promise<void> {
    await this.#logins.write();
  }

  async beforeApplicationShutdown(): Promise<void> {
    // Stop even if the database is unavailable.
    await this.#logins.write().catch(() => {});
  }

  /**
   * Skips the slow hash, or the directory, for recently verified passwords.
   *
   * @param account null for an unknown user, which takes as long as a wrong password
   * @returns the account that the password is right for; the directory may have added it
   */
  async #ownerOf(attempt: LoginAttempt, account: AccountRow | null): Promise<AccountRow | null> {
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
      const seconds = this.config.parts.has('ldap') ? DIRECTORY_SECONDS : OWN_SECONDS;
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

type Known = Pick<AccountRow, 'isAdmin' | 'hasSecondFactor'>;

/** Requires a second factor where the account has one or `GATEFOLD_SECOND_FACTOR` demands it. */
@Injectable()
export class SecondFactorRule {
  constructor(private readonly settings: SignInSettings) {}

  /** Whether the right password is not enough. */
  needsMore(account: Known): boolean {
    return account.hasSecondFactor || this.isMissing(account);
  }

  /** Whether the account has none, and has to set one up before it is let in with its password. */
  isMissing({ isAdmin, hasSecondFactor }: Known): boolean {
    const { secondFactor } = this.settings;
    const isRequired =
      secondFactor === 'required' || (secondFactor === 'administrators' && isAdmin);
    return isRequired && !hasSecondFactor;
  }
}
