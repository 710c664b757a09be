import { NotificationCenter } from '../../common/ports/notification-center.js';
import { Subject } from '../../common/subjects/subject.js';
import { registerAnnouncementCommands } from './announcements.commands.js';
import { AnnouncementsController } from './announcements.controller.js';
import { AnnouncementsService } from './announcements.service.js';
import { NotificationsController } from './notifications.controller.js';
import { NotificationEntity, NotificationsRepository } from './notifications.repository.js';
import { NotificationsService } from './notifications.service.js';
import { OldNotifications } from './old-notifications.task.js';

/** Notifications of users. */
@Subject({
  controllers: [AnnouncementsController, NotificationsController],
  providers: [
    AnnouncementsService,
    NotificationsRepository,
    NotificationsService,
    OldNotifications,
    { provide: NotificationCenter, useExisting: NotificationsService },
  ],
  exports: [NotificationCenter],
  entities: [NotificationEntity],
  commands: [registerAnnouncementCommands],
})
export class NotificationsModule {}
