import { type CanActivate, type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { CredentialsRequired } from '../../../common/auth/auth.errors.js';
import { ADMITTED_APPS, type AdmittedApps } from '../../../common/auth/calling-app.decorator.js';
import { GatewayAuthenticator } from '../../../common/auth/gateway-authenticator.js';
import type { IdentifiedRequest } from '../../../common/http/current-user.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';

/**
 * Authenticates external apps. Controllers get the app by `@CallingExApp()`, and the acting user, if
 * any, by `@CurrentUser()`.
 */
@Injectable()
export class GatewayAuthGuard implements CanActivate {
  constructor(
    private readonly authenticator: GatewayAuthenticator,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<IdentifiedRequest>();
    const admitted = this.reflector.getAllAndOverride<AdmittedApps | undefined>(ADMITTED_APPS, [
      context.getHandler(),
      context.getClass(),
    ]);
    await this.authenticator.admit(request, admitted);
    return true;
  }
}

/** Refuses an external app without an acting user. Runs after the guard that authenticates the app. */
@Injectable()
export class ActingUserGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.switchToHttp().getRequest<IdentifiedRequest>().account === undefined) {
      throw new CredentialsRequired();
    }
    return true;
  }
}

/**
 * A controller for requests of external apps: under both OCS roots and at the bare path.
 * `GatewayAuthGuard` authenticates the app before `guards` run.
 */
export function OcsGatewayController(path: string, ...guards: Type<CanActivate>[]): ClassDecorator {
  return OcsController(path, { bare: true, guards: [GatewayAuthGuard, ...guards] });
}
