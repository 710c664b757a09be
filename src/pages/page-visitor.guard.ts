import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PublicAddress } from '../common/http/public-address.js';
import { Sessions, type Session } from '../common/ports/sessions.js';

export type VisitedRequest = Request & { pageSession?: Session };

/** Lets visitors with a session in, and shows all others where to log in. */
@Injectable()
export class PageVisitorGuard implements CanActivate {
  constructor(
    private readonly sessions: Sessions,
    private readonly address: PublicAddress,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<VisitedRequest>();
    const session = await this.sessions.identify(request);
    if (session !== null) {
      request.pageSession = session;
      return true;
    }
    const query = new URLSearchParams({ redirect_url: request.url });
    const response = context.switchToHttp().getResponse<Response>();
    response
      .setHeader('Cache-Control', 'no-store')
      .redirect(302, `${this.address.path}/login?${query.toString()}`);
    return false;
  }
}
