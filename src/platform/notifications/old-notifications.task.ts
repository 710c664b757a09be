import { Injectable } from '@nestjs/common';
import { AccountHoldsOffer } from '../../common/ports/account-holds.js';
import { HOUR_SECONDS } from '../../common/units.js';
import { Regularly } from '../../database/regularly.js';
import { PlatformSettings } from '../platform.settings.js';
import { NotificationsRepository } from './notifications.repository.js';

/** Removes old notifications, except those of held accounts. */
@Injectable()
export class OldNotifications {
  constructor(
    private readonly notifications: NotificationsRepository,
    private readonly settings: PlatformSettings,
    private readonly holds: AccountHoldsOffer,
  ) {}

  @Regularly('notifications', HOUR_SECONDS)
  async remove(): Promise<void> {
    const { keepNotificationsDays } = this.settings;
    if (keepNotificationsDays > 0) {
      await this.notifications.removeOlderThan(
        keepNotificationsDays,
        await this.holds.required.heldUserIds(),
      );
    }
  }
}
