import { Injectable } from '@nestjs/common';
import type { LoginAttempt } from '../../common/ports/user-directory.js';
import { SecurityEventsService } from '../security/security-events.service.js';
import { LoginThrottle, type Admission } from '../throttle/login-throttle.js';
import type { AccountRow } from '../users/users.repository.js';
import { PasswordHash } from './password-hash.js';
import { VerificationTurns } from './verification-turns.js';
import { VerifiedCredentials, type VerifiedCredential } from './verified-credentials.js';

/** Verifies passwords of accounts; the slow hash is skipped for recently verified ones. */
@Injectable()
export class PasswordVerification {
  /** Verifications in progress, so that a burst of first requests costs one hash. */
  readonly #underWay = new Map<string, Promise<boolean>>();

  constructor(
    private readonly turns: VerificationTurns,
    private readonly passwordHash: PasswordHash,
    private readonly verified: VerifiedCredentials,
    private readonly throttle: LoginThrottle,
    private readonly events: SecurityEventsService,
  ) {}

  /**
   * @param account null for an unknown user, which takes as long as a wrong password
   * @throws TooManyLoginAttempts
   * @throws TooManyVerifications
   */
  async isRight(attempt: LoginAttempt, account: AccountRow | null): Promise<boolean> {
    if (account !== null && this.verified.has(credentialOf(attempt, account))) {
      return true;
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

  async #verify(attempt: LoginAttempt, account: AccountRow | null): Promise<boolean> {
    const { userId, password, clientAddress } = attempt;
    await this.throttle.admit(userId, clientAddress);
    return this.turns.inTurn(clientAddress, async () => {
      // Checked again, so that concurrent guesses see earlier failures.
      const admission = await this.throttle.admit(userId, clientAddress);
      const matches = await this.passwordHash.matches(password, account?.passwordHash ?? null);
      if (!matches || account === null) {
        await this.#failed(admission, account, clientAddress);
        return false;
      }
      // Otherwise somebody who knows the password could reset the counters between guesses of codes.
      if (!account.hasSecondFactor) {
        await this.throttle.succeeded(admission);
      }
      this.verified.remember(credentialOf(attempt, account));
      return true;
    });
  }

  async #failed(admission: Admission, account: AccountRow | null, address: string): Promise<void> {
    const userId = account?.userId;
    const details = account === null ? 'no such user, or disabled' : undefined;
    await this.events.record({ kind: 'login_failed', userId, address, details });
    if (await this.throttle.failed(admission)) {
      await this.events.record({ kind: 'login_throttled', userId, address });
    }
  }
}

function credentialOf(
  { userId, password }: LoginAttempt,
  { passwordHash }: AccountRow,
): VerifiedCredential {
  return { userId, password, passwordHash };
}
