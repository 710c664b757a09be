import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PublicAddress } from '../../../common/config/public-address.js';
import {
  NotificationCenter,
  NotificationSenders,
} from '../../../common/ports/notification-center.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { SecurityEventsService } from '../../accounts/security/security-events.service.js';
import { assertOther } from '../../accounts/users/account-rights.js';
import { UsersRepository } from '../../accounts/users/users.repository.js';
import { AccountNotFound } from '../../platform.errors.js';
import { NoSecondFactor } from './second-factor.errors.js';
import { SecondFactorsRepository } from './second-factors.repository.js';

/** Sender of notifications about the account. */
const SENDER = 'gatefold';

/** The page where users set up second factors. */
const PAGE = 'settings/user/security';

/** Removes the second factors of users who have lost them. */
@Injectable()
export class SecondFactorResets implements OnModuleInit {
  constructor(
    private readonly factors: SecondFactorsRepository,
    private readonly users: UsersRepository,
    private readonly events: SecurityEventsService,
    private readonly notifications: NotificationCenter,
    private readonly senders: NotificationSenders,
    private readonly address: PublicAddress,
  ) {}

  onModuleInit(): void {
    this.senders.contribute(async () => [SENDER]);
  }

  /** Called by an administrator. Their own factors are removed in the settings, which require a proof. */
  async resetOfOther(administrator: Account, userId: string): Promise<void> {
    assertOther(administrator, userId, 'reset your own second factor');
    await this.reset(userId);
  }

  /**
   * Removes all second factors and recovery codes of a user, who is notified.
   *
   * @throws AccountNotFound
   * @throws NoSecondFactor
   */
  async reset(userId: string): Promise<void> {
    if ((await this.users.find(userId)) === null) {
      throw new AccountNotFound(userId);
    }
    NoSecondFactor.unless(await this.factors.removeAll(userId));
    await this.events.record({ kind: 'second_factor_reset', userId });
    await this.notifications.notify({
      userId,
      appId: SENDER,
      objectType: 'second-factor',
      objectId: 'reset',
      subject: { text: 'An administrator has reset your second factor.', parameters: {} },
      message: { text: 'Set up a new one in your settings.', parameters: {} },
      link: this.address.of(PAGE),
    });
  }
}
