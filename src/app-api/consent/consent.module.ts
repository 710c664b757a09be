import { Subject } from '../../common/subjects/subject.js';
import { SecurityEventsModule } from '../../platform/accounts/security/security.module.js';
import { UsersModule } from '../../platform/accounts/users/users.module.js';
import { NotificationsModule } from '../../platform/notifications/notifications.module.js';
import { AppsModule } from '../apps/apps.module.js';
import { ConsentsController, OwnConsentController } from './consents.controller.js';
import { AppConsentEntity, ConsentsRepository } from './consents.repository.js';
import { ConsentsService } from './consents.service.js';

/** Consents of users to actions of external apps for them. */
@Subject({
  imports: [AppsModule, NotificationsModule, SecurityEventsModule, UsersModule],
  controllers: [ConsentsController, OwnConsentController],
  providers: [ConsentsRepository, ConsentsService],
  entities: [AppConsentEntity],
})
export class ConsentModule {}
