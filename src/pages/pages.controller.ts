import { Controller, Get, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../common/auth/current-user.decorator.js';
import type { Session } from '../common/ports/sessions.js';
import { ApiAddressGuard } from './api-address.guard.js';
import { SHELL_POLICY } from './page-policies.js';
import { LoginRedirect } from './login-redirect.filter.js';
import { PageVisitor } from './page-visitor.decorator.js';
import { PageVisitorGuard } from './page-visitor.guard.js';
import { PagesService } from './pages.service.js';
import { sendPage } from './send-page.js';

/** Addresses of the host's pages; which of them it is, the script in the document knows. */
const PLACES = [
  '/',
  '/apps/news{/*rest}',
  '/apps/files{/*rest}',
  '/apps/spreed{/*rest}',
  '/call/:token',
  '/settings{/*rest}',
];

/** Public, since the guard answers strangers with the way to the login page. */
@Controller()
@Public()
@UseGuards(ApiAddressGuard, PageVisitorGuard)
@UseFilters(LoginRedirect)
export class PagesController {
  constructor(private readonly pages: PagesService) {}

  // Headers are set with the document: an error is no page.
  @Get(PLACES)
  async shell(@PageVisitor() session: Session, @Res() response: Response): Promise<void> {
    sendPage(response, await this.pages.shell(session), SHELL_POLICY);
  }
}
