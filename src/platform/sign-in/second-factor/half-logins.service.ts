import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { UsersRepository, type AccountRow } from '../../accounts/users/users.repository.js';
import { WrongCode } from '../../platform.errors.js';
import { SealedCookies, type CookieKind } from '../forms/sealed-cookies.service.js';
import { LoginService } from '../passwords/login.service.js';
import { BrowserSessions } from '../sessions/browser-sessions.service.js';
import { FactorCheck, type ShownFactor } from './factor-check.service.js';
import { newTotpSecret } from './one-time-codes.js';
import { SecondFactorsService } from './second-factors.service.js';

const Half = z.object({
  userId: z.string(),
  /** Digest of the hash of the entered password: another password ends it. */
  passwordDigest: z.string(),
  redirectUrl: z.string(),
  /** Secret of the authenticator app that the user has to set up; not stored before it is confirmed. */
  secret: z.string().optional(),
});

const HALF: CookieKind<typeof Half> = {
  name: 'gatefold_half_login',
  purpose: 'login without the second factor',
  path: '/login',
  content: Half,
  // Allows time to find the device.
  livesSeconds: 600,
};

const LONGEST_REDIRECT = 1000;
const DIGEST_PURPOSE = 'password of a login without the second factor';

/** A login with a verified password, but without a second factor. */
export interface HalfLogin {
  readonly account: AccountRow;
  /** Untrusted. */
  readonly redirectUrl: string;
  /** Secret of an authenticator app to set up; undefined if the account has a second factor. */
  readonly secret: string | undefined;
}

/** Logins between password and second factor, in a cookie of the browser in which they began. */
@Injectable()
export class HalfLogins {
  constructor(
    private readonly cookies: SealedCookies,
    private readonly users: UsersRepository,
    private readonly check: FactorCheck,
    private readonly factors: SecondFactorsService,
    private readonly login: LoginService,
    private readonly browserSessions: BrowserSessions,
    private readonly secretBox: SecretBox,
  ) {}

  /** Call after the right password. */
  begin(
    request: Request,
    response: Response,
    { account, redirectUrl }: Pick<HalfLogin, 'account' | 'redirectUrl'>,
  ): void {
    this.cookies.set(request, response, HALF, {
      userId: account.userId,
      passwordDigest: this.#digestOf(account),
      redirectUrl: redirectUrl.length > LONGEST_REDIRECT ? '' : redirectUrl,
      ...(account.hasSecondFactor ? {} : { secret: newTotpSecret() }),
    });
  }

  /** @returns null without one, after ten minutes, and after a change of password or second factor */
  async find(request: Pick<Request, 'headers'>): Promise<HalfLogin | null> {
    const half = this.cookies.read(request, HALF);
    const account = half && (await this.users.find(half.userId));
    if (half === null || account === null || account.disabled) {
      return null;
    }
    const { passwordDigest, redirectUrl, secret } = half;
    const isToSetUp = secret !== undefined;
    return this.#digestOf(account) === passwordDigest && account.hasSecondFactor !== isToSetUp
      ? { account, redirectUrl, secret }
      : null;
  }

  /** Completes the login: begins a session. */
  async complete(
    request: Request,
    response: Response,
    { account }: HalfLogin,
    factor: ShownFactor,
  ): Promise<void> {
    await this.check.assert(account.userId, factor, 'second factor', request);
    await this.#enter(request, response, account);
  }

  /**
   * Sets up the authenticator app of the half login, and completes the login.
   *
   * @returns recovery codes, which are not shown again
   */
  async setUp(
    request: Request,
    response: Response,
    { account, secret = '' }: HalfLogin,
    code: string,
  ): Promise<string[]> {
    const recoveryCodes = await this.factors.addTotp(account.userId, secret, code);
    await this.#enter(request, response, account);
    return recoveryCodes;
  }

  /** @throws WrongCode if the half login was completed before */
  async #enter(request: Request, response: Response, account: AccountRow): Promise<void> {
    WrongCode.unless(await this.cookies.use(request, HALF));
    await this.login.enter(account);
    await this.browserSessions.begin(request, response, account.userId, 'password');
    this.cookies.clear(request, response, HALF);
  }

  #digestOf({ passwordHash }: AccountRow): string {
    return this.secretBox.digest(passwordHash, DIGEST_PURPOSE).toString('base64url');
  }
}
