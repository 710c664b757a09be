import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Account } from '../ports/user-directory.js';
import { CredentialsRequired } from './auth.errors.js';
import { BasicAuthenticator } from './basic-authenticator.js';
import { SessionGate } from './session-gate.js';

/** Tells who is behind a request that guests may make too. */
@Injectable()
export class Visitors {
  constructor(
    private readonly basic: BasicAuthenticator,
    private readonly sessionGate: SessionGate,
  ) {}

  /**
   * By a password, or else by the browser's session. Pages that external apps answer themselves have
   * no request token, so for their changes the browser's word is enough that a page of ours wants them.
   *
   * @returns undefined for a guest. Credentials of another scheme are none of ours, and change
   *   nothing.
   * @throws CredentialsRequired for wrong ones
   * @throws CsrfCheckFailed for a change that nothing proves to come from a page of ours
   * @throws TooManyLoginAttempts
   */
  async identify(request: Request): Promise<Account | undefined> {
    if (!isBasic(request.headers.authorization)) {
      return (await this.sessionGate.admit(request, 'token-or-origin'))?.account;
    }
    this.sessionGate.assertIntended(request);
    const loggedIn = await this.basic.authenticate(request);
    if (loggedIn === null) {
      throw new CredentialsRequired();
    }
    return loggedIn.account;
  }
}

/** Whether the header holds a password of this installation. */
export function isBasic(authorization: string | undefined): boolean {
  return /^\s*basic(?:\s|$)/i.test(authorization ?? '');
}
