import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Sessions, type Session } from '../../../common/ports/sessions.js';
import { LoginFirst } from '../pages.errors.js';

export type VisitedRequest = Request & { pageSession?: Session };

/** Requires a session; `LoginRedirect` redirects others to the login. */
@Injectable()
export class PageVisitorGuard implements CanActivate {
  constructor(private readonly sessions: Sessions) {}

  /** @throws LoginFirst */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<VisitedRequest>();
    const session = await this.sessions.identify(request);
    if (session !== null) {
      request.pageSession = session;
      return true;
    }
    throw new LoginFirst(request.url);
  }
}
