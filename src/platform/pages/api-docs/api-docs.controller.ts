import { Controller, Get, Header, Param, Res, UseGuards, UseFilters } from '@nestjs/common';
import type { Response } from 'express';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { Public } from '../../../common/http/current-user.decorator.js';
import { HOUR_SECONDS } from '../../../common/units.js';
import { PageNotFound } from '../pages.errors.js';
import { LoginRedirect, PageVisitorGuard } from '../visitors/page-visitor.guard.js';
import { sendPage } from '../visitors/send-page.js';
import { ApiDocsService } from './api-docs.service.js';
import { OWN_FILES, PACKAGE_FILES, packageFolder } from './viewer-files.js';
import { VIEWER_POLICY } from './viewer-page.js';

/** The API documents as files, and the files of their viewer. Must be registered before its pages. */
@Controller('api/docs')
@UseGuards(BasicAuthGuard)
export class ApiDocsController {
  constructor(private readonly docs: ApiDocsService) {}

  @Get(':document.json')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Header('Cache-Control', 'private, no-cache')
  document(@Param('document') name: string) {
    return this.docs.document(name);
  }

  @Get('viewer/:file')
  async file(@Param('file') file: string, @Res() response: Response): Promise<void> {
    this.docs.assertOn();
    response.setHeader('Cache-Control', `private, max-age=${HOUR_SECONDS}`);
    const own = OWN_FILES.get(file);
    if (own !== undefined) {
      response.status(200).set('Content-Type', own.type).send(own.text);
      return;
    }
    PageNotFound.unless(PACKAGE_FILES.has(file), `/api/docs/viewer/${file}`);
    response.sendFile(file, { root: await packageFolder(), cacheControl: false });
  }
}

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
