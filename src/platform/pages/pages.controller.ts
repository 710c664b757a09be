import {
  Controller,
  Get,
  Req,
  Res,
  UseFilters,
  UseGuards,
  Injectable,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../../common/http/current-user.decorator.js';
import type { Session } from '../../common/ports/sessions.js';
import { PageNotFound } from './pages.errors.js';
import { PagesService } from './pages.service.js';
import { LoginRedirect, PageVisitor, PageVisitorGuard } from './visitors/page-visitor.guard.js';
import { sendPage } from './visitors/send-page.js';

/** The feed reader's API is below the path of its page. */
const API = /^\/apps\/news\/api(\/|$)/;

/**
 * Answers 404 for unknown API routes. Use before `PageVisitorGuard`, which would redirect API
 * clients to the login page.
 */
@Injectable()
export class ApiAddressGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { path } = context.switchToHttp().getRequest<Request>();
    if (API.test(path)) {
      throw new PageNotFound(path);
    }
    return true;
  }
}

/** Routes of the host's pages; the script in the document does the routing. */
const PLACES = [
  '/',
  '/apps/news{/*rest}',
  '/apps/files{/*rest}',
  '/apps/spreed{/*rest}',
  '/call/:token',
  '/settings{/*rest}',
];

/** Public for the router: `PageVisitorGuard` redirects visitors without a session to the login. */
@Controller()
@Public()
@UseGuards(ApiAddressGuard, PageVisitorGuard)
@UseFilters(LoginRedirect)
export class PagesController {
  constructor(private readonly pages: PagesService) {}

  // Headers are set with the document, so that error responses do not get them.
  @Get(PLACES)
  async shell(
    @PageVisitor() session: Session,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    sendPage(response, await this.pages.shell(session, request), this.pages.shellPolicy);
  }
}
