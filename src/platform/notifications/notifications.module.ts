import { NotificationCenter } from '../../common/ports/notification-center.js';
import { Subject } from '../../common/subjects/subject.js';
import { NotificationEntity, NotificationsRepository } from './notifications.repository.js';
import { NotificationsController } from './notifications.controller.js';
import { NotificationsService } from './notifications.service.js';

/** Notifications of users. */
@Subject({
  controllers: [NotificationsController],
  providers: [
    NotificationsRepository,
    NotificationsService,
    { provide: NotificationCenter, useExisting: NotificationsService },
  ],
  exports: [NotificationCenter],
  entities: [NotificationEntity],
})
export class NotificationsModule {}
