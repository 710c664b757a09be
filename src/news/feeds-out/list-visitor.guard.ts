import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { BasicAuthenticator } from '../../common/auth/basic-authenticator.js';
import { GatewayAuthenticator } from '../../common/auth/gateway-authenticator.js';
import { SessionGate } from '../../common/auth/session-gate.js';
import type { IdentifiedRequest } from '../../common/http/current-user.decorator.js';
import { SessionsOffer } from '../../common/ports/sessions.js';
import { FeedOutNotFound } from './feeds-out.errors.js';
import { FeedsOutSettings } from './feeds-out.settings.js';

/**
 * Admits those whom the administrator lets read published lists: nobody, people with an account, or everyone. A link
 * from another site leads people with a session to the list, since reading changes nothing.
 */
@Injectable()
export class ListVisitorGuard extends BasicAuthGuard {
  constructor(
    private readonly settings: FeedsOutSettings,
    private readonly sessions: SessionsOffer,
    basic: BasicAuthenticator,
    gateway: GatewayAuthenticator,
    sessionGate: SessionGate,
    reflector: Reflector,
  ) {
    super(basic, gateway, sessionGate, reflector);
  }

  /** @throws FeedOutNotFound if lists are off, and the errors of `BasicAuthGuard` */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const { feedsOut } = this.settings;
    FeedOutNotFound.unless(feedsOut !== 'off');
    const request = context.switchToHttp().getRequest<IdentifiedRequest>();
    if (feedsOut === 'everyone') {
      return true;
    }
    const session =
      request.headers.authorization === undefined
        ? await this.sessions.required.identify(request)
        : null;
    return session !== null || super.canActivate(context);
  }
}
