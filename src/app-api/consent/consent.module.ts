import { AppsModule } from '../apps/apps.module.js';
import { AppConsentEntity } from './app-consent.entity.js';
import { ConsentsController } from './consents.controller.js';
import { ConsentsRepository } from './consents.repository.js';
import { ConsentsService } from './consents.service.js';
import { OwnConsentController } from './own-consent.controller.js';
import { Subject } from '../../common/subjects/subject.js';
import { SecurityEventsModule } from '../../platform/accounts/security/security.module.js';
import { UsersModule } from '../../platform/accounts/users/users.module.js';
import { NotificationsModule } from '../../platform/notifications/notifications.module.js';

/** Consents of users to what external apps do for them. */
@Subject({
  imports: [AppsModule, NotificationsModule, SecurityEventsModule, UsersModule],
  controllers: [ConsentsController, OwnConsentController],
  providers: [ConsentsRepository, ConsentsService],
  entities: [AppConsentEntity],
})
export class ConsentModule {}
