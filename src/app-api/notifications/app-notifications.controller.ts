import { Post } from '../../common/contracts/routes.js';
import { ActingUserGuard } from '../apps/access/acting-user.guard.js';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { CurrentUser } from '../../common/http/current-user.decorator.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { OcsGatewayController } from '../apps/access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import type { Account } from '../../common/ports/user-directory.js';
import { AppNotificationsService } from './app-notifications.service.js';
import { Notification } from './app-notification.input.js';
import { SentNotificationAnswer } from './app-notifications.wire.js';

/** Notifies the acting user. */
@OcsGatewayController('apps/app_api/api/v1/notification', ActingUserGuard)
export class AppNotificationsController {
  constructor(private readonly notifications: AppNotificationsService) {}

  /** @returns empty texts, as the reference does, which renders them when they are read */
  @Post('', 'Notifies the user.', SentNotificationAnswer)
  async notify(
    @CallingExApp() { appId }: CallingApp,
    @CurrentUser() { userId }: Account,
    @Input(Notification) { params }: In<typeof Notification>,
  ) {
    const created = await this.notifications.notify(appId, userId, params);
    return {
      app: appId,
      user: userId,
      datetime: new Date(created.createdSeconds * 1000).toISOString().replace(/\.\d+Z$/, '+00:00'),
      object_type: created.objectType,
      object_id: created.objectId,
      subject: '',
      message: '',
      link: '',
      icon: '',
    };
  }
}
