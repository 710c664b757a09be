import { Controller, Param, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { AppPasses } from '../../common/auth/app-passes.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { AppsOrigin } from '../../common/config/apps-origin.js';
import { ApiPost } from '../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../common/disk/disk-reserve.interceptor.js';
import { CurrentSession } from '../../common/http/current-user.decorator.js';
import type { Session } from '../../common/ports/sessions.js';
import { UiContributionsOffer } from '../../common/ports/ui-contributions.js';
import { PageNotFound } from './pages.errors.js';

/** Data for showing a page of an app in a frame. */
const FrameTicketAnswer = z.object({
  origin: z.string(),
  ticket: z.string(),
  title: z.string(),
});

/** Tickets for frames with pages of apps on their own origins. */
@Controller('apps/app_api/tickets')
@UseGuards(BasicAuthGuard)
@WorksOnFullDisk()
export class AppTicketsController {
  constructor(
    private readonly passes: AppPasses,
    private readonly contributions: UiContributionsOffer,
    private readonly appsOrigin: AppsOrigin,
  ) {}

  /** @throws PageNotFound for an unknown page, and for callers without a session */
  @ApiPost(':appId/:name', 'Issues a ticket for the frame of a page of an app.', FrameTicketAnswer)
  async issue(
    @Param('appId') appId: string,
    @Param('name') name: string,
    @CurrentSession() session: Session | undefined,
  ) {
    const origin = this.appsOrigin.of(appId);
    const page = session && (await this.contributions.service?.page(session.account, appId, name));
    if (origin === undefined || session === undefined || !page) {
      throw new PageNotFound(`/apps/app_api/tickets/${appId}/${name}`);
    }
    return {
      origin,
      ticket: this.passes.ticketFor(session, appId),
      title: page.entry.displayName,
    };
  }
}
