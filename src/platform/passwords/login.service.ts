import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { Account, LoggedIn, LoginAttempt } from '../../common/ports/user-directory.js';
import { AppPasswordsService } from '../app-passwords/app-passwords.service.js';
import { CredentialVerifier } from './credential-verifier.js';
import { isUserId } from '../users/user-id.js';
import { UsersRepository, type AccountRow } from '../users/users.repository.js';
import { VerifiedCredentials, type VerifiedCredential } from './verified-credentials.js';

const REMEMBER_LOGIN_EVERY_SECONDS = 60;

/**
 * Verifies the credentials of requests. Reads the account each time, so that a changed password,
 * disabled account or revoked right takes effect at once on every replica; the slow hash is skipped
 * for recently verified passwords.
 */
@Injectable()
export class LoginService {
  /** Verifications in progress, so that a burst of first requests costs one hash. */
  readonly #underWay = new Map<string, Promise<AccountRow | null>>();

  constructor(
    private readonly users: UsersRepository,
    private readonly appPasswords: AppPasswordsService,
    private readonly verifier: CredentialVerifier,
    private readonly verified: VerifiedCredentials,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns null for wrong credentials of any kind
   * @throws TooManyLoginAttempts
   * @throws TooManyVerifications
   * @throws DirectoryUnavailable for a user of the directory
   */
  async authenticate(attempt: LoginAttempt): Promise<LoggedIn | null> {
    const owner = await this.appPasswords.ownerOf(attempt.password);
    if (owner !== null && owner.userId === attempt.userId && !owner.disabled) {
      const { appPasswordId: id, mayAdminister, scope } = owner;
      const credential = { kind: 'app password', id, mayAdminister, scope } as const;
      return { account: await this.enter(owner), credential };
    }
    const found = isUserId(attempt.userId) ? await this.users.find(attempt.userId) : null;
    const account = found === null || found.disabled ? null : found;
    const verified = await this.#verified(attempt, account);
    return verified === null
      ? null
      : { account: await this.enter(verified), credential: { kind: 'password' } };
  }

  /** Records the login of an authenticated account, at most once a minute. */
  async enter(account: AccountRow): Promise<Account> {
    const now = this.clock.nowSeconds();
    if (now - account.lastLoginSeconds < REMEMBER_LOGIN_EVERY_SECONDS) {
      return toAccount(account);
    }
    await this.users.changeLastLogin(account.userId, this.clock.now());
    return toAccount({ ...account, lastLoginSeconds: now });
  }

  async #verified(attempt: LoginAttempt, account: AccountRow | null): Promise<AccountRow | null> {
    if (account !== null && this.verified.has(credentialOf(attempt, account))) {
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
    const verified = await this.verifier.verify(attempt, account);
    if (verified !== null) {
      this.verified.remember(credentialOf(attempt, verified));
    }
    return verified;
  }
}

export function toAccount(row: AccountRow): Account {
  const { userId, displayName, isAdmin, lastLoginSeconds } = row;
  return { userId, displayName, isAdmin, lastLoginSeconds };
}

function credentialOf(
  { userId, password }: LoginAttempt,
  { passwordHash }: AccountRow,
): VerifiedCredential {
  return { userId, password, passwordHash };
}
