import { Subject } from '../../common/subjects/subject.js';
import { CredentialsModule } from '../../platform/sign-in/credentials/credentials.module.js';
import { AppsModule } from '../apps/apps.module.js';
import { ExAppRequestsController } from './ex-app-requests.controller.js';
import { ExAppRequestsService } from './ex-app-requests.service.js';

/** Requests of users and administrators to external apps. */
@Subject({
  imports: [AppsModule, CredentialsModule],
  controllers: [ExAppRequestsController],
  providers: [ExAppRequestsService],
})
export class AppRequestsModule {}
