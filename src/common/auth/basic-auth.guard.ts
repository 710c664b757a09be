import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { DomainError } from '../errors/domain-error.js';
import {
  ACCESS_RULE,
  type AccessRule,
  type IdentifiedRequest,
} from '../http/current-user.decorator.js';
import type { LoggedIn } from '../ports/user-directory.js';
import { CredentialsRequired, GatewayAuthenticationFailed } from './auth.errors.js';
import { BasicAuthenticator } from './basic-authenticator.js';
import { ADMITTED_APPS, type AdmittedApps } from './calling-app.decorator.js';
import { challengeFor } from './challenge.js';
import { CHANGING_GET } from './changing-get.decorator.js';
import { GatewayAuthenticator } from './gateway-authenticator.js';
import { REMEMBERED_LOGIN } from './remembered-login.decorator.js';
import { SessionGate } from './session-gate.js';

/**
 * Authenticates by an external app's headers (as the user it acts for), by Basic credentials, or
 * without either by session. Otherwise 401 with a challenge, the same for all wrong credentials.
 */
@Injectable()
export class BasicAuthGuard implements CanActivate {
  constructor(
    private readonly basic: BasicAuthenticator,
    private readonly gateway: GatewayAuthenticator,
    private readonly sessionGate: SessionGate,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<IdentifiedRequest>();
    // Set if another guard has authenticated already.
    if (request.account !== undefined) {
      return true;
    }
    const rule = this.#accessRule(context);
    if (rule === 'public') {
      return true;
    }
    const changingGet = this.#isChangingGet(context);
    if (this.gateway.claims(request)) {
      await this.#admitApp(request, this.#admittedApps(context));
    } else if (request.headers.authorization === undefined) {
      await this.#admitBrowser(request, changingGet);
    }
    if (rule === 'anonymous-too' && request.headers.authorization === undefined) {
      return true;
    }
    if (request.account !== undefined) {
      return true;
    }
    if (request.headers.authorization !== undefined) {
      this.sessionGate.assertIntended(request, changingGet);
    }
    const loggedIn = await this.#authenticate(context, request);
    request.account = loggedIn.account;
    request.credential = loggedIn.credential;
    return true;
  }

  /** @throws CredentialsRequired also other errors of `BasicAuthenticator` */
  async #authenticate(context: ExecutionContext, request: IdentifiedRequest): Promise<LoggedIn> {
    try {
      const loggedIn = await this.basic.authenticate(request, this.#mayBeRemembered(context));
      if (loggedIn !== null) {
        return loggedIn;
      }
      throw new CredentialsRequired();
    } catch (error) {
      const challenge = challengeFor(request);
      if (error instanceof DomainError && error.kind === 'unauthenticated' && challenge !== null) {
        context.switchToHttp().getResponse<Response>().setHeader('WWW-Authenticate', challenge);
      }
      throw error;
    }
  }

  #accessRule(context: ExecutionContext): AccessRule | undefined {
    return this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS_RULE, [
      context.getHandler(),
      context.getClass(),
    ]);
  }

  #admittedApps(context: ExecutionContext): AdmittedApps | undefined {
    return this.reflector.getAllAndOverride<AdmittedApps | undefined>(ADMITTED_APPS, [
      context.getHandler(),
      context.getClass(),
    ]);
  }

  #isChangingGet(context: ExecutionContext): boolean {
    return this.reflector.get<true | undefined>(CHANGING_GET, context.getHandler()) === true;
  }

  #mayBeRemembered(context: ExecutionContext): boolean {
    return this.reflector.get<true | undefined>(REMEMBERED_LOGIN, context.getClass()) === true;
  }

  /** An app with wrong credentials is anonymous on routes that allow it. */
  async #admitApp(request: IdentifiedRequest, admitted: AdmittedApps | undefined): Promise<void> {
    try {
      await this.gateway.admit(request, admitted);
    } catch (error) {
      if (!(error instanceof GatewayAuthenticationFailed)) {
        throw error;
      }
    }
  }

  async #admitBrowser(request: IdentifiedRequest, changingGet: boolean): Promise<void> {
    const session = await this.sessionGate.admit(request, 'token', changingGet || undefined);
    if (session !== undefined) {
      request.session = session;
      request.account = session.account;
      request.credential = { kind: 'session' };
    }
  }
}
