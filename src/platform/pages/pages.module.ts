import { Module } from '@nestjs/common';
import { ApiDocsPagesController } from './api-docs/api-docs-pages.controller.js';
import { ApiDocsController } from './api-docs/api-docs.controller.js';
import { ApiDocsService } from './api-docs/api-docs.service.js';
import { ApiAddressGuard } from './api-address.guard.js';
import { AppTicketsController } from './app-tickets.controller.js';
import { AppsOriginGuard } from './apps-origin.guard.js';
import { EmbeddedPagesController } from './embedded-pages.controller.js';
import { FramedPagesController } from './framed-pages.controller.js';
import { PageBuild } from './page-build.js';
import { PageVisitorGuard } from './page-visitor.guard.js';
import { PagesController } from './pages.controller.js';
import { PagesService } from './pages.service.js';
import { RequestTokenController } from './request-token.controller.js';
import { WebAppController } from './web-app.controller.js';

/** Serves the pages built from `web/`. */
@Module({
  controllers: [
    ApiDocsController,
    ApiDocsPagesController,
    PagesController,
    EmbeddedPagesController,
    FramedPagesController,
    AppTicketsController,
    RequestTokenController,
    WebAppController,
  ],
  providers: [
    ApiDocsService,
    ApiAddressGuard,
    AppsOriginGuard,
    PageBuild,
    PagesService,
    PageVisitorGuard,
  ],
})
export class PagesModule {}
