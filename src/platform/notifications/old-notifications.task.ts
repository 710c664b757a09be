import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { HOUR_SECONDS } from '../../common/units.js';
import { Regularly } from '../../database/regularly.js';
import { NotificationsRepository } from './notifications.repository.js';

/** Removes old notifications. */
@Injectable()
export class OldNotifications {
  constructor(
    private readonly notifications: NotificationsRepository,
    private readonly config: Config,
  ) {}

  @Regularly('notifications', HOUR_SECONDS)
  async remove(): Promise<void> {
    const { keepNotificationsDays } = this.config;
    if (keepNotificationsDays > 0) {
      await this.notifications.removeOlderThan(keepNotificationsDays);
    }
  }
}
