import { NotificationCenter } from '../../common/ports/notification-center.js';
import { Recipients } from '../../common/ports/recipients.js';
import { Subject } from '../../common/subjects/subject.js';
import { PreferencesModule } from '../accounts/preferences/preferences.module.js';
import { UsersModule } from '../accounts/users/users.module.js';
import { MailModule } from '../installation/mail/mail.module.js';
import { registerAnnouncementCommands } from './announcements.commands.js';
import { AnnouncementsController } from './announcements.controller.js';
import { AnnouncementsService } from './announcements.service.js';
import { NotificationsController } from './notifications.controller.js';
import { NotificationEntity, NotificationsRepository } from './notifications.repository.js';
import { NotificationsService } from './notifications.service.js';
import { OldNotifications } from './old-notifications.task.js';
import { RecipientsService } from './recipients.service.js';

/** Notifications of users, and how users are reached outside of the service. */
@Subject({
  imports: [MailModule, PreferencesModule, UsersModule],
  controllers: [AnnouncementsController, NotificationsController],
  providers: [
    AnnouncementsService,
    NotificationsRepository,
    NotificationsService,
    OldNotifications,
    { provide: NotificationCenter, useExisting: NotificationsService },
    { provide: Recipients, useClass: RecipientsService },
  ],
  exports: [NotificationCenter, Recipients],
  entities: [NotificationEntity],
  commands: [registerAnnouncementCommands],
})
export class NotificationsModule {}
