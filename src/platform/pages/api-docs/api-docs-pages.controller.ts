import { Controller, Get, Param, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../../../common/http/current-user.decorator.js';
import { LoginRedirect } from '../visitors/login-redirect.filter.js';
import { PageVisitorGuard } from '../visitors/page-visitor.guard.js';
import { sendPage } from '../visitors/send-page.js';
import { ApiDocsService } from './api-docs.service.js';
import { VIEWER_POLICY } from './viewer-page.js';

/** Public for the router: `PageVisitorGuard` redirects visitors without a session to the login. */
@Controller('api/docs')
@Public()
@UseGuards(PageVisitorGuard)
@UseFilters(LoginRedirect)
export class ApiDocsPagesController {
  constructor(private readonly docs: ApiDocsService) {}

  @Get()
  index(@Res() response: Response): void {
    sendPage(response, this.docs.index(), VIEWER_POLICY);
  }

  @Get(':document')
  viewer(@Param('document') name: string, @Res() response: Response): void {
    sendPage(response, this.docs.viewer(name), VIEWER_POLICY);
  }
}
