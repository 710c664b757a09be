import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { SecretBox } from '../../common/secrets/secret-box.js';
import { SealedCookies, type CookieKind } from '../login/sealed-cookies.js';
import { LoginService } from '../passwords/login.service.js';
import { BrowserSessions } from '../sessions/browser-sessions.js';
import { UsersRepository, type AccountRow } from '../users/users.repository.js';
import { SecondFactorCodes } from './second-factor-codes.js';

const Half = z.object({
  userId: z.string(),
  /** Of the hash of the password that was entered: another password ends it. */
  passwordDigest: z.string(),
  redirectUrl: z.string(),
});

const HALF: CookieKind<typeof Half> = {
  name: 'gatefold_half_login',
  purpose: 'login without the second factor',
  path: '/login',
  content: Half,
  // Leaves time to find the device.
  livesSeconds: 600,
};

const LONGEST_REDIRECT = 1000;
const DIGEST_PURPOSE = 'password of a login without the second factor';

/** A login whose password was right, and whose second factor is missing. */
export interface HalfLogin {
  readonly account: AccountRow;
  /** Untrusted. */
  readonly redirectUrl: string;
}

/** Logins between password and second factor, in a cookie of the browser in which they began. */
@Injectable()
export class HalfLogins {
  constructor(
    private readonly cookies: SealedCookies,
    private readonly users: UsersRepository,
    private readonly codes: SecondFactorCodes,
    private readonly login: LoginService,
    private readonly browserSessions: BrowserSessions,
    private readonly secretBox: SecretBox,
  ) {}

  /** Call after the right password. */
  begin(request: Request, response: Response, { account, redirectUrl }: HalfLogin): void {
    this.cookies.set(request, response, HALF, {
      userId: account.userId,
      passwordDigest: this.#digestOf(account),
      redirectUrl: redirectUrl.length > LONGEST_REDIRECT ? '' : redirectUrl,
    });
  }

  /**
   * @returns null without one, after ten minutes, and when password or second factor were changed
   *   meanwhile
   */
  async find(request: Pick<Request, 'headers'>): Promise<HalfLogin | null> {
    const half = this.cookies.read(request, HALF);
    const account = half && (await this.users.find(half.userId));
    if (half === null || account === null || account.disabled || !account.hasSecondFactor) {
      return null;
    }
    const isSame = this.#digestOf(account) === half.passwordDigest;
    return isSame ? { account, redirectUrl: half.redirectUrl } : null;
  }

  /**
   * Completes the login: begins a session.
   *
   * @throws WrongCode
   * @throws TooManyLoginAttempts
   */
  async complete(
    request: Request,
    response: Response,
    { account }: HalfLogin,
    code: string,
  ): Promise<void> {
    const { userId } = account;
    await this.codes.use({ userId, code, clientAddress: request.ip ?? '' });
    await this.login.enter(account);
    await this.browserSessions.begin(request, response, userId, 'password');
    this.cookies.clear(request, response, HALF);
  }

  #digestOf({ passwordHash }: AccountRow): string {
    return this.secretBox.digest(passwordHash, DIGEST_PURPOSE).toString('base64url');
  }
}
