import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { CredentialsRequired } from '../../../common/auth/auth.errors.js';
import type { IdentifiedRequest } from '../../../common/http/current-user.decorator.js';
import { readFields } from '../../../common/http/read-fields.js';
import { ProgramLogins } from '../../../common/ports/program-logins.js';

const HEADER = /^\s*GoogleLogin\s+auth\s*=\s*"?([^\s",;]+)"?\s*$/i;

const TOKEN_IN_FORM = 'token in a form';

/** Accepts the token in the field `T` of a small form too, as Liferea 1.14 sends it. */
export const TakesTokenInForm = (): MethodDecorator => SetMetadata(TOKEN_IN_FORM, true);

/** Limit of a form that contains the login. */
export const ANONYMOUS_FORM_BYTES = 16 * 1024;

/**
 * Authenticates by `Authorization: GoogleLogin auth=TOKEN`, and by no cookie, so that no page of
 * another site can use it.
 */
@Injectable()
export class GoogleLoginGuard implements CanActivate {
  constructor(
    private readonly logins: ProgramLogins,
    private readonly reflector: Reflector,
  ) {}

  /** @throws CredentialsRequired also errors of `readFields` */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<IdentifiedRequest>();
    const inForm = this.reflector.get<true | undefined>(TOKEN_IN_FORM, context.getHandler());
    const token = googleTokenOf(request) ?? (inForm === true ? await tokenInForm(request) : null);
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

/** Null beside a header, or with the token in the address, which proxies write into their logs. */
async function tokenInForm(request: IdentifiedRequest): Promise<string | null> {
  const isAlone = request.headers.authorization === undefined && request.query['T'] === undefined;
  return isAlone ? ((await readFields(request, ANONYMOUS_FORM_BYTES)).one('T') ?? null) : null;
}
