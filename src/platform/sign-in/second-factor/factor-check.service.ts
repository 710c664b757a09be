import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../../../common/clock.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { SecurityEventsService } from '../../accounts/security/security-events.service.js';
import { WrongCode } from '../../platform.errors.js';
import { PasskeyPlaces } from '../forms/passkey-place.service.js';
import { LoginThrottle } from '../throttle/login-throttle.service.js';
import { recoveryCodeHash, stepOfCode } from './one-time-codes.js';
import { PasskeyLogins } from './passkeys/passkey-logins.service.js';
import type { PasskeyAnswer } from './passkeys/passkeys.service.js';
import { SecondFactorsRepository } from './second-factors.repository.js';

/** `SecretBox` purpose of the secrets of authenticator apps. */
export const TOTP_SECRET = 'secret of an authenticator app';

/** A second factor given by a user: one of the two fields. */
export interface ShownFactor {
  /** Code of an authenticator app, or a recovery code. */
  readonly code?: string | undefined;
  readonly passkey?: PasskeyAnswer | undefined;
}

/** Checks second factors: codes of authenticator apps, recovery codes and passkeys. */
@Injectable()
export class FactorCheck {
  constructor(
    private readonly factors: SecondFactorsRepository,
    private readonly throttle: LoginThrottle,
    private readonly events: SecurityEventsService,
    private readonly secretBox: SecretBox,
    private readonly clock: Clock,
    private readonly passkeys: PasskeyLogins,
    private readonly places: PasskeyPlaces,
  ) {}

  async assert(
    userId: string,
    { code = '', passkey }: ShownFactor,
    purpose: 'second factor' | 'proof',
    request: Pick<Request, 'protocol' | 'host' | 'ip'>,
  ): Promise<void> {
    const clientAddress = request.ip ?? '';
    if (passkey === undefined) {
      await this.#use(userId, code, clientAddress);
      return;
    }
    const attempt = { place: this.places.of(request), answer: passkey, clientAddress };
    await this.passkeys.confirm(userId, purpose, attempt);
  }

  /** Uses a code of an authenticator app, or a recovery code: each is accepted once. @throws WrongCode */
  async #use(userId: string, code: string, address: string): Promise<void> {
    const admission = await this.throttle.admitCode(userId, address);
    if (await this.#isRight(userId, code, address)) {
      await this.throttle.codeSucceeded(admission);
      return;
    }
    await this.events.record({ kind: 'second_factor_failed', userId, address });
    if (await this.throttle.codeFailed(admission)) {
      await this.events.record({ kind: 'login_throttled', userId, address });
    }
    throw new WrongCode();
  }

  async #isRight(userId: string, code: string, address: string): Promise<boolean> {
    const codeHash = recoveryCodeHash(code);
    if (codeHash === null) {
      return this.#isOfApp(userId, code);
    }
    const isRight = await this.factors.useRecoveryCode(userId, codeHash);
    if (isRight) {
      const left = await this.factors.countRecoveryCodes(userId);
      const details = `${left} left`;
      await this.events.record({ kind: 'recovery_code_used', userId, address, details });
    }
    return isRight;
  }

  async #isOfApp(userId: string, code: string): Promise<boolean> {
    const factor = await this.factors.findTotp(userId);
    if (factor === null || factor.confirmedAt === null) {
      return false;
    }
    const secret = this.secretBox.open(factor.sealedSecret, TOTP_SECRET);
    const step = stepOfCode(secret, code, this.clock.now());
    return step !== null && this.factors.useTotpStep(userId, step);
  }
}
