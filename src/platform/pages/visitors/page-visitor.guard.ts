import {
  Injectable,
  type CanActivate,
  type ExecutionContext,
  createParamDecorator,
  InternalServerErrorException,
  Catch,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { PublicAddress } from '../../../common/config/public-address.js';
import { Sessions, type Session } from '../../../common/ports/sessions.js';
import { LoginFirst } from '../pages.errors.js';

type VisitedRequest = Request & { pageSession?: Session };

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

/** The session that `PageVisitorGuard` found. */
export const PageVisitor = createParamDecorator((_data, context): Session => {
  const { pageSession } = context.switchToHttp().getRequest<VisitedRequest>();
  if (pageSession === undefined) {
    throw new InternalServerErrorException('a page without PageVisitorGuard');
  }
  return pageSession;
});

/** Redirects visitors to the login, and from there back to the page. */
@Catch(LoginFirst)
export class LoginRedirect implements ExceptionFilter<LoginFirst> {
  constructor(private readonly address: PublicAddress) {}

  catch({ wanted }: LoginFirst, host: ArgumentsHost): void {
    const query = new URLSearchParams({ redirect_url: wanted });
    host
      .switchToHttp()
      .getResponse<Response>()
      .set('Cache-Control', 'no-store')
      .redirect(302, this.address.pathOf(`/login?${query.toString()}`));
  }
}
