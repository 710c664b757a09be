import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import passport from 'passport';
import type { Account } from '../ports/user-directory.js';
import { CredentialsRequired } from './auth.errors.js';
import { BASIC_CHALLENGE, BasicStrategy } from './basic.strategy.js';
import { ACCESS_RULE, type AccessRule, type IdentifiedRequest } from './current-user.decorator.js';

/**
 * Lets a request in with Basic credentials alone; a cookie never counts. 401 with a challenge
 * otherwise, the same for every kind of wrong credentials.
 */
@Injectable()
export class BasicAuthGuard implements CanActivate {
  // Of our own rather than the library's global one: two applications in one process would
  // otherwise authenticate against the accounts of whichever started last. For the same reason,
  // and because it sends no challenge, not the guard of @nestjs/passport.
  readonly #passport = new passport.Passport();

  constructor(
    strategy: BasicStrategy,
    private readonly reflector: Reflector,
  ) {
    this.#passport.use('basic', strategy);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<IdentifiedRequest>();
    // Another guard may have found the acting user already, by the gateway's own credentials.
    if (request.account !== undefined || this.#mayStayAnonymous(context, request)) {
      return true;
    }
    const response = context.switchToHttp().getResponse<Response>();
    const account = await this.#authenticate(request, response);
    if (account === null) {
      response.setHeader('WWW-Authenticate', BASIC_CHALLENGE);
      throw new CredentialsRequired();
    }
    request.account = account;
    return true;
  }

  #mayStayAnonymous(context: ExecutionContext, request: IdentifiedRequest): boolean {
    const rule = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS_RULE, [
      context.getHandler(),
      context.getClass(),
    ]);
    return (
      rule === 'public' || (rule === 'anonymous-too' && request.headers.authorization === undefined)
    );
  }

  #authenticate(request: IdentifiedRequest, response: Response): Promise<Account | null> {
    return new Promise((resolve, reject) => {
      const decide = (error: unknown, account?: object | false | null) =>
        error ? reject(error as Error) : resolve((account || null) as Account | null);
      this.#passport.authenticate('basic', { session: false }, decide)(request, response, reject);
    });
  }
}
