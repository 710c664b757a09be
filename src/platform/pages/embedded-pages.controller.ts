import { Controller, Get, Param, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppsOrigin } from '../../common/config/apps-origin.js';
import { InTurn } from '../../common/http/answer-turns.js';
import { Public } from '../../common/http/current-user.decorator.js';
import type { Session } from '../../common/ports/sessions.js';
import { EMBEDDED_POLICY } from './page-policies.js';
import { PagesService } from './pages.service.js';
import { LoginRedirect, PageVisitor, PageVisitorGuard } from './visitors/page-visitor.guard.js';
import { sendPage } from './visitors/send-page.js';

/**
 * Pages of external apps. The path after the name belongs to the app. Where apps have an origin of
 * their own, a page of ours shows theirs in a frame.
 *
 * @see docs/spec/gateway-api.md "Top menu"
 */
@Controller()
@Public()
@UseGuards(PageVisitorGuard)
@UseFilters(LoginRedirect)
export class EmbeddedPagesController {
  constructor(
    private readonly pages: PagesService,
    private readonly appsOrigin: AppsOrigin,
  ) {}

  @InTurn()
  @Get('/apps/app_api/embedded/:appId/:name{/*other}')
  async page(
    @PageVisitor() session: Session,
    @Param('appId') appId: string,
    @Param('name') name: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const appOrigin = this.appsOrigin.of(appId);
    if (appOrigin !== undefined) {
      const document = await this.pages.shell(session, request);
      const status = (await this.pages.hasPage(session, appId, name)) ? 200 : 404;
      sendPage(response, document, this.pages.policyWithFrame(appOrigin), status);
      return;
    }
    const embedded = await this.pages.embedded(session, request, appId, name);
    if (embedded === null) {
      // A link to a removed app shows the host's page with a message, not a blank page.
      sendPage(response, await this.pages.shell(session, request), this.pages.shellPolicy, 404);
      return;
    }
    sendPage(response, embedded, EMBEDDED_POLICY);
  }
}
