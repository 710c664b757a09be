import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ExAppUninstallHooks } from '../../common/ports/hooks.js';
import {
  NotificationCenter,
  NotificationSenders,
  type NewNotification,
  type Notification,
} from '../../common/ports/notification-center.js';
import { ExAppsRepository } from '../apps/ex-apps.repository.js';

type AppNotification = Omit<NewNotification, 'userId' | 'appId'>;

/** Notifications of external apps; hidden while the app is disabled. */
@Injectable()
export class AppNotificationsService implements OnModuleInit {
  constructor(
    private readonly center: NotificationCenter,
    private readonly senders: NotificationSenders,
    private readonly apps: ExAppsRepository,
    uninstallHooks: ExAppUninstallHooks,
  ) {
    uninstallHooks.add((appId) => center.forget(appId));
  }

  onModuleInit(): void {
    this.senders.contribute(() => this.apps.ids({ enabled: true }));
  }

  async notify(
    appId: string,
    userId: string,
    notification: AppNotification,
  ): Promise<Notification> {
    const { subject } = notification;
    return this.center.notify({
      ...notification,
      // Clients need a text to display.
      subject: subject.text === '' ? { ...subject, text: appId } : subject,
      appId,
      userId,
    });
  }
}
