import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../common/clock.js';
import { SecurityEventsService } from '../../../accounts/security/security-events.service.js';
import type { AccountRow } from '../../../accounts/users/users.repository.js';
import { PasskeyNotEnough, PasskeyRefused } from '../../../platform.errors.js';
import type { PasskeyPlace } from '../../forms/passkey-place.service.js';
import { LoginThrottle } from '../../throttle/login-throttle.service.js';
import { PasskeyAnswers, type ChallengePurpose } from './passkey-answers.service.js';
import { PasskeysRepository, type OwnedPasskey } from './passkeys.repository.js';
import type { PasskeyAnswer } from './passkeys.service.js';

interface Attempt {
  readonly place: PasskeyPlace;
  readonly answer: PasskeyAnswer;
  readonly clientAddress: string;
}

/** Authenticates users by their passkeys. Each answer is accepted once. */
@Injectable()
export class PasskeyLogins {
  constructor(
    private readonly passkeys: PasskeysRepository,
    private readonly answers: PasskeyAnswers,
    private readonly throttle: LoginThrottle,
    private readonly events: SecurityEventsService,
    private readonly clock: Clock,
  ) {}

  /**
   * The login with a passkey alone: it has two factors, possession and the unlocking by PIN or biometrics,
   * so no other is required.
   *
   * @throws PasskeyNotEnough if a directory or an identity provider decides who may log in
   */
  async login(attempt: Attempt): Promise<AccountRow> {
    const { account, isManagedElsewhere } = await this.#owner(attempt, 'login', null);
    if (isManagedElsewhere) {
      throw new PasskeyNotEnough();
    }
    return account;
  }

  /** Confirms the user's identity: after the password, or in an old session. */
  async confirm(
    userId: string,
    purpose: 'second factor' | 'proof',
    attempt: Attempt,
  ): Promise<void> {
    await this.#owner(attempt, purpose, userId);
  }

  async #owner(
    attempt: Attempt,
    purpose: ChallengePurpose,
    userId: string | null,
  ): Promise<OwnedPasskey> {
    const { place, answer, clientAddress } = attempt;
    const found = await this.passkeys.find(Buffer.from(answer.id, 'base64url'));
    const isMeant =
      found !== null &&
      found.rpId === place.rpId &&
      !found.account.disabled &&
      (userId === null || found.account.userId === userId);
    const use = isMeant
      ? await this.answers.verify(answer, found, { place, purpose, userId })
      : null;
    if (
      found !== null &&
      use !== null &&
      (await this.passkeys.noteUse(found.passkeyId, use, this.clock.now()))
    ) {
      return found;
    }
    await this.#noteRefusal(purpose, clientAddress, userId ?? found?.account.userId);
    throw new PasskeyRefused();
  }

  /** Only wrong answers are counted and blocked: right ones cannot be guessed. */
  async #noteRefusal(
    purpose: ChallengePurpose,
    address: string,
    userId: string | undefined,
  ): Promise<void> {
    const firstBlocked = await this.throttle.countWrongSecret(address);
    const kind = purpose === 'login' ? 'login_failed' : 'second_factor_failed';
    await this.events.record({ kind, userId, address, details: 'passkey' });
    if (firstBlocked) {
      await this.events.record({ kind: 'login_throttled', userId, address });
    }
  }
}
