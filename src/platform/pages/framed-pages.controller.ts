import {
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Req,
  Res,
  UseGuards,
  Injectable,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { AppPasses } from '../../common/auth/app-passes.js';
import { AppsOrigin } from '../../common/config/apps-origin.js';
import { InTurn } from '../../common/http/answer-turns.js';
import { Public } from '../../common/http/current-user.decorator.js';
import { FormInput, type In } from '../../common/http/input.decorator.js';
import { framePolicy } from './page-policies.js';
import { PageNotFound } from './pages.errors.js';
import { PagesService } from './pages.service.js';
import { sendPage } from './visitors/send-page.js';

/** Answers 404 unless the request came to the origin of the app in its path. */
@Injectable()
export class AppsOriginGuard implements CanActivate {
  constructor(private readonly appsOrigin: AppsOrigin) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request<{ readonly appId: string }>>();
    PageNotFound.unless(this.appsOrigin.servesApp(request, request.params.appId), request.path);
    return true;
  }
}

const Entrance = z.object({
  ticket: z.string().max(1000),
  /** Path of the page below the app's pages; without it the pass is only renewed. */
  place: z
    .string()
    .max(4000)
    .regex(/^[!-~]*$/)
    .optional(),
});

/** The page around the frame waits until it has loaded. */
const RENEWED = '<!doctype html>\n<title>Gatefold</title>\n';

/**
 * Pages of external apps on an origin of their own, in a frame of ours. Public, because there is no
 * session: the pass of the frame is checked instead.
 *
 * @see docs/operations/external-apps.md "An origin of their own"
 */
@Controller('apps/app_api')
@Public()
@UseGuards(AppsOriginGuard)
export class FramedPagesController {
  constructor(
    private readonly passes: AppPasses,
    private readonly pages: PagesService,
    private readonly appsOrigin: AppsOrigin,
  ) {}

  /** The address of the page on our origin; the edge leads here. */
  @InTurn()
  @Get('framed/:appId/:name{/*other}')
  async page(
    @Param('appId') appId: string,
    @Param('name') name: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const visitor = await this.passes.visitor(request, appId);
    const page = visitor && (await this.pages.framed(visitor, request, appId, name));
    if (!page) {
      await this.#refuse(response, appId, visitor ? 404 : 401);
      return;
    }
    sendPage(response, page, framePolicy(this.appsOrigin.ofHost));
  }

  /**
   * A form that the page around the frame submits with a ticket. 403 if that has expired, is for another
   * app, or its session has ended.
   */
  @Post('enter/:appId')
  @HttpCode(200)
  async enter(
    @Param('appId') appId: string,
    @FormInput(Entrance) { ticket, place }: In<typeof Entrance>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (!(await this.passes.enter(request, response, { appId, ticket }))) {
      await this.#refuse(response, appId, 403);
      return;
    }
    if (place === undefined) {
      sendPage(response, RENEWED, framePolicy(this.appsOrigin.ofHost));
      return;
    }
    response.redirect(303, this.pages.pathOfApp(appId) + place);
  }

  /** The document asks the page around it for another ticket. */
  async #refuse(response: Response, appId: string, status: number): Promise<void> {
    const policy = framePolicy(this.appsOrigin.ofHost);
    sendPage(response, await this.pages.emptyFrame(appId), policy, status);
  }
}
