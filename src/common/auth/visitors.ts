import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Account } from '../ports/user-directory.js';
import { assertScope } from './assert-scope.js';
import { CredentialsRequired } from './auth.errors.js';
import { BasicAuthenticator } from './basic-authenticator.js';
import { SessionGate } from './session-gate.js';

/** Identifies the caller of routes that guests may use, too. */
@Injectable()
export class Visitors {
  constructor(
    private readonly basic: BasicAuthenticator,
    private readonly sessionGate: SessionGate,
  ) {}

  /**
   * Identifies by Basic credentials, or else by session. Pages that external apps serve themselves have no
   * CSRF token, so for their changes the `Origin` header suffices.
   *
   * @returns undefined for a guest; credentials of other schemes are ignored
   * @throws CredentialsRequired for wrong credentials
   * @throws OutsideOfScope for an app password that is not for everything
   * @throws CsrfCheckFailed for a change without proof that it comes from our pages
   */
  async identify(request: Request): Promise<Account | undefined> {
    if (!isBasic(request.headers.authorization)) {
      return (await this.sessionGate.admit(request, 'token-or-origin'))?.account;
    }
    this.sessionGate.assertIntended(request);
    const loggedIn = CredentialsRequired.unless(await this.basic.authenticate(request));
    assertScope(loggedIn.credential, { room: null, changes: true });
    return loggedIn.account;
  }
}

/** Whether the header uses the Basic scheme. */
export function isBasic(authorization: string | undefined): boolean {
  return /^\s*basic(?:\s|$)/i.test(authorization ?? '');
}
