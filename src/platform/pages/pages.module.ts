import { ContractsModule } from '../../common/contracts/contracts.module.js';
import { Subject } from '../../common/subjects/subject.js';
import { PreferencesModule } from '../accounts/preferences/preferences.module.js';
import { MailModule } from '../installation/mail/mail.module.js';
import { SessionsModule } from '../sign-in/sessions/sessions.module.js';
import { ApiDocsPagesController, ApiDocsController } from './api-docs/api-docs.controller.js';
import { ApiDocsService } from './api-docs/api-docs.service.js';
import { AppTicketsController } from './app-tickets.controller.js';
import { EmbeddedPagesController } from './embedded-pages.controller.js';
import { FileLinksController } from './file-links.controller.js';
import { AppsOriginGuard, FramedPagesController } from './framed-pages.controller.js';
import { PageBuild } from './page-build.service.js';
import { ApiAddressGuard, PagesController } from './pages.controller.js';
import { PagesService } from './pages.service.js';
import { RequestTokenController } from './request-token.controller.js';
import { PageVisitorGuard } from './visitors/page-visitor.guard.js';
import { WebAppController } from './web-app.controller.js';

/** Serves the pages built from `web/`. */
@Subject({
  imports: [ContractsModule, MailModule, PreferencesModule, SessionsModule],
  controllers: [
    ApiDocsController,
    ApiDocsPagesController,
    PagesController,
    FileLinksController,
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
  edgeRules: [{ path: /^\/(?:assets|apps\/app_api\/(?:embedded|enter))\//, onAppsOrigin: true }],
})
export class PagesModule {}
