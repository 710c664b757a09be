import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { AccessChanges } from '../../../common/ports/access-changes.js';
import { SealedValues } from '../../../common/ports/sealed-values.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { SecurityEventsService } from '../../accounts/security/security-events.service.js';
import { WrongCode } from '../../platform.errors.js';
import { TOTP_SECRET } from './factor-check.service.js';
import {
  newRecoveryCodes,
  recoveryCodeHashes,
  newTotpSecret,
  stepOfCode,
  totpAddress,
  type TotpEnrolment,
} from './one-time-codes.js';
import { NoSecondFactor, TotpAlreadySetUp } from './second-factor.errors.js';
import { SecondFactorsRepository } from './second-factors.repository.js';

export interface SecondFactors {
  /** Confirmation time of the authenticator app; null without one. */
  readonly totpSince: Date | null;
  readonly recoveryCodesLeft: number;
}

/** Sets up and removes second factors. Callers make sure who asks. */
@Injectable()
export class SecondFactorsService {
  constructor(
    private readonly factors: SecondFactorsRepository,
    private readonly accessChanges: AccessChanges,
    private readonly events: SecurityEventsService,
    private readonly secretBox: SecretBox,
    private readonly address: PublicAddress,
    private readonly clock: Clock,
    sealed: SealedValues,
  ) {
    sealed.register({
      what: 'authenticator apps of users',
      remedy: 'They are removed. Users set up their app again.',
      lost: () => this.#lost(),
      replaceLost: async () => {
        for (const userId of await this.#lost()) {
          await this.factors.removeTotp(userId);
        }
      },
    });
  }

  async show(userId: string): Promise<SecondFactors> {
    const [totp, recoveryCodesLeft] = await Promise.all([
      this.factors.findTotp(userId),
      this.factors.countRecoveryCodes(userId),
    ]);
    return { totpSince: totp?.confirmedAt ?? null, recoveryCodesLeft };
  }

  /** Begins to set up an authenticator app. Logins do not require it until it is confirmed. */
  async beginTotp(userId: string): Promise<TotpEnrolment> {
    const secret = newTotpSecret();
    await this.#begin(userId, secret);
    return { secret, address: this.addressOf(secret, userId) };
  }

  /** `otpauth:` address of a secret, for a QR code. */
  addressOf(secret: string, userId: string): string {
    const { host } = new URL(this.address.root);
    return totpAddress(secret, userId, host);
  }

  /**
   * Sets up an authenticator app that has the secret already.
   *
   * @returns as `confirmTotp`
   */
  async addTotp(userId: string, secret: string, code: string): Promise<string[]> {
    await this.#begin(userId, secret);
    return this.confirmTotp(userId, code);
  }

  /**
   * Confirms the app by its first code. From now on logins need a code, and programs an app password.
   *
   * @returns recovery codes, which are not shown again; none if the user has some
   * @throws WrongCode
   * @throws NoSecondFactor unless one was begun
   * @throws TotpAlreadySetUp
   */
  async confirmTotp(userId: string, code: string): Promise<string[]> {
    const factor = NoSecondFactor.unless(await this.factors.findTotp(userId));
    if (factor.confirmedAt !== null) {
      throw new TotpAlreadySetUp();
    }
    const now = this.clock.now();
    const step = WrongCode.unless(
      stepOfCode(this.secretBox.open(factor.sealedSecret, TOTP_SECRET), code, now),
    );
    const codes = newRecoveryCodes();
    const made = { confirmedAt: now, codeHashes: recoveryCodeHashes(codes) };
    const { confirmed, hasNewCodes } = await this.factors.confirmTotp(userId, factor, step, made);
    WrongCode.unless(confirmed);
    // Connections of programs with the password end.
    await this.accessChanges.announce(userId);
    await this.events.record({ kind: 'second_factor_added', userId, details: 'authenticator app' });
    return hasNewCodes ? codes : [];
  }

  /** @throws NoSecondFactor */
  async removeTotp(userId: string): Promise<void> {
    NoSecondFactor.unless(await this.factors.removeTotp(userId));
    const details = 'authenticator app';
    await this.events.record({ kind: 'second_factor_removed', userId, details });
  }

  /**
   * Replaces all recovery codes.
   *
   * @returns the new ones, which are not shown again
   * @throws NoSecondFactor
   */
  async renewRecoveryCodes(userId: string): Promise<string[]> {
    const codes = newRecoveryCodes();
    if (!(await this.factors.replaceRecoveryCodes(userId, recoveryCodeHashes(codes)))) {
      throw new NoSecondFactor();
    }
    await this.events.record({ kind: 'recovery_codes_renewed', userId });
    return codes;
  }

  /** @throws TotpAlreadySetUp */
  async #begin(userId: string, secret: string): Promise<void> {
    if (!(await this.factors.beginTotp(userId, this.secretBox.seal(secret, TOTP_SECRET)))) {
      throw new TotpAlreadySetUp();
    }
  }

  /** User ids. */
  async #lost(): Promise<string[]> {
    const all = await this.factors.listTotp();
    return all
      .filter(({ sealedSecret }) => !this.secretBox.opens(sealedSecret, TOTP_SECRET))
      .map(({ userId }) => userId);
  }
}
