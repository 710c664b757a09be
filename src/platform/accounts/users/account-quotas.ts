import { Injectable } from '@nestjs/common';
import {
  StorageUses,
  type StorageQuota,
  type StorageUse,
} from '../../../common/ports/storage-use.js';
import { SecurityEventsService } from '../security/security-events.service.js';
import { readQuota, writeQuota } from './storage-quota.js';
import { UsersService } from './users.service.js';

/** Storage quotas of single accounts, for administrators and the command line. */
@Injectable()
export class AccountQuotas {
  constructor(
    private readonly users: UsersService,
    private readonly storage: StorageUses,
    private readonly events: SecurityEventsService,
  ) {}

  async show(userId: string): Promise<StorageUse | undefined> {
    await this.users.show(userId);
    return (await this.storage.of([userId])).get(userId);
  }

  /**
   * A quota below the present use refuses new content and removes no file.
   *
   * @param text as `readQuota` reads it
   */
  async change(userId: string, text: string): Promise<StorageQuota> {
    const quota = readQuota(text);
    await this.users.show(userId);
    await this.storage.setQuota(userId, quota);
    const details = `storage quota: ${writeQuota(quota)}`;
    await this.events.record({ kind: 'user_changed', userId, details });
    return quota;
  }
}
