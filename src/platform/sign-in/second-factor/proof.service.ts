import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../../../common/config/config.js';
import { UsersRepository } from '../../accounts/users/users.repository.js';
import type { PasskeyPlace } from '../forms/passkey-place.service.js';
import { OidcSettings } from '../oidc.settings.js';
import { LoginService } from '../passwords/login.service.js';
import { mayHavePassword } from '../sign-in.settings.js';
import { FactorCheck, type ShownFactor } from './factor-check.service.js';
import { PasskeysService } from './passkeys/passkeys.service.js';
import { ProofRefused } from './second-factor.errors.js';

/** Proof by a user that they are the account's owner: one of the fields. */
interface Proof extends ShownFactor {
  readonly password?: string | undefined;
}

/** Ways to prove who a user is. */
interface ProofWays {
  readonly password: boolean;
  readonly code: boolean;
  readonly passkey: boolean;
  /** Name of the identity provider to log in at again. */
  readonly provider: string | null;
}

/** Requires a proof of identity before changes with which a stolen session could take over the account. */
@Injectable()
export class ProofService {
  constructor(
    private readonly login: LoginService,
    private readonly check: FactorCheck,
    private readonly passkeys: PasskeysService,
    private readonly users: UsersRepository,
    private readonly oidc: OidcSettings,
    private readonly config: Config,
  ) {}

  /** @param place null where there are no passkeys */
  async waysOf(userId: string, place: PasskeyPlace | null): Promise<ProofWays> {
    const account = await this.users.find(userId);
    return {
      password: mayHavePassword(userId, this.config),
      code: account?.hasSecondFactor ?? false,
      passkey: place !== null && (await this.passkeys.hasAny(userId, place)),
      provider: this.oidc.issuer === '' ? null : this.oidc.name,
    };
  }

  /**
   * Throttled like a login.
   *
   * @throws ProofRefused
   */
  async assert(
    userId: string,
    { password = '', code, passkey }: Proof,
    request: Pick<Request, 'protocol' | 'host' | 'ip'>,
  ): Promise<void> {
    if (passkey !== undefined || (code !== undefined && code !== '')) {
      await this.check.assert(userId, { code, passkey }, 'proof', request);
      return;
    }
    const attempt = { userId, password, clientAddress: request.ip ?? '' };
    if ((await this.login.ownerOfPassword(attempt)) === null) {
      throw new ProofRefused();
    }
  }
}
