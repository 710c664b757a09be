import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { PasskeyLogins } from './passkeys/passkey-logins.js';
import { PasskeyPlaces } from '../forms/passkey-place.js';
import type { PasskeyAnswer } from './passkeys/passkeys.service.js';
import { SecondFactorCodes } from './second-factor-codes.js';

/** What somebody shows of a second factor: one of the two. */
export interface ShownFactor {
  /** Of an authenticator app, or a recovery code. */
  readonly code?: string | undefined;
  readonly passkey?: PasskeyAnswer | undefined;
}

/** Checks second factors of all kinds. */
@Injectable()
export class FactorCheck {
  constructor(
    private readonly codes: SecondFactorCodes,
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
      await this.codes.use({ userId, code, clientAddress });
      return;
    }
    const attempt = { place: this.places.of(request), answer: passkey, clientAddress };
    await this.passkeys.confirm(userId, purpose, attempt);
  }
}
