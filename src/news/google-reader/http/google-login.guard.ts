import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { CredentialsRequired } from '../../../common/auth/auth.errors.js';
import type { IdentifiedRequest } from '../../../common/auth/current-user.decorator.js';
import { ProgramLogins } from '../../../common/ports/program-logins.js';

const HEADER = /^\s*GoogleLogin\s+auth\s*=\s*"?([^\s",;]+)"?\s*$/i;

/**
 * Authenticates by `Authorization: GoogleLogin auth=TOKEN`, and by nothing else: no cookie, so that no
 * page of another site can use it, and not by the field `T`, for which a body would have to be read
 * before the log-in.
 */
@Injectable()
export class GoogleLoginGuard implements CanActivate {
  constructor(private readonly logins: ProgramLogins) {}

  /** @throws CredentialsRequired */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<IdentifiedRequest>();
    const token = googleTokenOf(request);
    const loggedIn = token === null ? null : await this.logins.byToken(token);
    if (loggedIn === null) {
      http
        .getResponse<Response>()
        .setHeader('WWW-Authenticate', 'GoogleLogin realm="Gatefold", service="reader"');
      throw new CredentialsRequired();
    }
    request.account = loggedIn.account;
    request.credential = loggedIn.credential;
    return true;
  }
}

/** The token of the header; null without one. */
export function googleTokenOf({ headers }: Pick<IdentifiedRequest, 'headers'>): string | null {
  return HEADER.exec(headers.authorization ?? '')?.[1] ?? null;
}
