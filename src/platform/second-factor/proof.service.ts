import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { LoginService } from '../passwords/login.service.js';
import { UsersRepository } from '../users/users.repository.js';
import { SecondFactorCodes } from './second-factor-codes.js';
import { ProofRefused } from './second-factor.errors.js';

/** What somebody enters to prove that they are the user: one of the two. */
export interface Proof {
  readonly password?: string | undefined;
  /** Of an authenticator app, or a recovery code. */
  readonly code?: string | undefined;
}

/** Asks again who is there, before changes with which a stolen session could take over the account. */
@Injectable()
export class ProofService {
  constructor(
    private readonly login: LoginService,
    private readonly codes: SecondFactorCodes,
    private readonly users: UsersRepository,
    private readonly config: Config,
  ) {}

  /** Ways to prove who a user is, besides the password. */
  async waysOf(userId: string): Promise<{ code: boolean; provider: string | null }> {
    const account = await this.users.find(userId);
    return { code: account?.hasSecondFactor ?? false, provider: this.config.oidc?.name ?? null };
  }

  /**
   * Throttled like a login.
   *
   * @throws ProofRefused
   * @throws WrongCode
   * @throws TooManyLoginAttempts
   * @throws TooManyVerifications
   */
  async assert(userId: string, { password, code }: Proof, clientAddress: string): Promise<void> {
    if (code !== undefined && code !== '') {
      await this.codes.use({ userId, code, clientAddress });
      return;
    }
    const attempt = { userId, password: password ?? '', clientAddress };
    if ((await this.login.ownerOfPassword(attempt)) === null) {
      throw new ProofRefused();
    }
  }
}
