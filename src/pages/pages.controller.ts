import { Controller, Get, Header, Req, UseFilters, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { Public } from '../common/auth/current-user.decorator.js';
import type { Session } from '../common/ports/sessions.js';
import { SHELL_POLICY } from './page-policies.js';
import { LogInRedirect } from './log-in-redirect.filter.js';
import { PageVisitor } from './page-visitor.decorator.js';
import { PageVisitorGuard } from './page-visitor.guard.js';
import { PageNotFound } from './pages.errors.js';
import { PagesService } from './pages.service.js';

/** Addresses of the host's pages; which of them it is, the script in the document knows. */
const PLACES = [
  '/',
  '/apps/news',
  '/apps/news/:place',
  '/apps/news/:place/*rest',
  '/apps/files{/*rest}',
  '/apps/spreed{/*rest}',
  '/call/:token',
  '/settings{/*rest}',
];

/** Public, since the guard answers strangers with the way to the log-in page. */
@Controller()
@Public()
@UseGuards(PageVisitorGuard)
@UseFilters(LogInRedirect)
export class PagesController {
  constructor(private readonly pages: PagesService) {}

  @Get(PLACES)
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', SHELL_POLICY)
  @Header('Cache-Control', 'no-store')
  async shell(@PageVisitor() session: Session, @Req() { path, params }: Request): Promise<string> {
    // The API lies below the reader's address; what it does not know is no page.
    if (params['place'] === 'api') {
      throw new PageNotFound(path);
    }
    return this.pages.shell(session);
  }
}
