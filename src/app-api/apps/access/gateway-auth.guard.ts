import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ADMITTED_APPS, type AdmittedApps } from '../../../common/auth/calling-app.decorator.js';
import type { IdentifiedRequest } from '../../../common/http/current-user.decorator.js';
import { GatewayAuthenticator } from '../../../common/auth/gateway-authenticator.js';

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
