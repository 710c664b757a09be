import { Subject } from '../../common/subjects/subject.js';
import { NotificationsModule } from '../../platform/notifications/notifications.module.js';
import { AppsModule } from '../apps/apps.module.js';
import { AppNotificationsController } from './app-notifications.controller.js';
import { AppNotificationsService } from './app-notifications.service.js';

/** Notifications that external apps send to users. */
@Subject({
  imports: [AppsModule, NotificationsModule],
  controllers: [AppNotificationsController],
  providers: [AppNotificationsService],
})
export class AppNotificationsModule {}
