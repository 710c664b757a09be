import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { DISABLED_APPS_TOO } from './calling-app.decorator.js';
import type { IdentifiedRequest } from './current-user.decorator.js';
import { GatewayAuthenticator } from './gateway-authenticator.js';

/**
 * Lets external apps in, and nobody else. The app is `@CallingExApp()` then, and the user it acts
 * for, if it names one, `@CurrentUser()`.
 */
@Injectable()
export class GatewayAuthGuard implements CanActivate {
  constructor(
    private readonly authenticator: GatewayAuthenticator,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<IdentifiedRequest>();
    const rule = this.reflector.getAllAndOverride<true | undefined>(DISABLED_APPS_TOO, [
      context.getHandler(),
      context.getClass(),
    ]);
    await this.authenticator.admit(request, rule);
    return true;
  }
}
