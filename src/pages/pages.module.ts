import { Module } from '@nestjs/common';
import { ApiAddressGuard } from './api-address.guard.js';
import { EmbeddedPagesController } from './embedded-pages.controller.js';
import { PageBuild } from './page-build.js';
import { PageVisitorGuard } from './page-visitor.guard.js';
import { PagesController } from './pages.controller.js';
import { PagesService } from './pages.service.js';
import { RequestTokenController } from './request-token.controller.js';
import { WebAppController } from './web-app.controller.js';

/** Serves the pages built from `web/`. */
@Module({
  controllers: [PagesController, EmbeddedPagesController, RequestTokenController, WebAppController],
  providers: [ApiAddressGuard, PageBuild, PagesService, PageVisitorGuard],
})
export class PagesModule {}
