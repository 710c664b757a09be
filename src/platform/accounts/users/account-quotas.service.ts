import { Injectable } from '@nestjs/common';
import {
  StorageUses,
  type StorageQuota,
  type StorageUse,
} from '../../../common/ports/storage-use.js';
import { SIZE_UNITS } from '../../../common/size-text.js';
import { InvalidQuota } from '../../platform.errors.js';
import { SecurityEventsService } from '../security/security-events.service.js';
import { UsersService } from './users.service.js';

/** Two digits at most after a comma: "1,500 MB" may mean a thousand and a half or one and a half. */
const SIZE = /^(\d{1,16}(?:\.\d{1,16}|,\d{1,2})?) ?(?:([kmgtp])(?:i?b)?|b)?$/i;

/**
 * Reads a quota: a size such as `5 GB`, a number of bytes, `none` or `default`.
 *
 * @throws InvalidQuota
 */
export function readQuota(text: string): StorageQuota {
  const word = text.trim().toLowerCase();
  if (word === 'none' || word === 'default') {
    return word;
  }
  const [, number = '', unit = ''] = SIZE.exec(word) ?? [];
  const factor = 1024 ** ' kmgtp'.indexOf(unit || ' ');
  const bytes = number === '' ? NaN : Math.round(Number(number.replace(',', '.')) * factor);
  InvalidQuota.unless(Number.isSafeInteger(bytes));
  return bytes;
}

/** The inverse of `readQuota`: the largest unit that says it exactly with two decimals at most. */
export function writeQuota(quota: StorageQuota): string {
  if (typeof quota === 'string') {
    return quota;
  }
  const exact = SIZE_UNITS.findLastIndex((_, power) => {
    const hundredths = (quota / 1024 ** power) * 100;
    return Number.isInteger(hundredths) && hundredths >= 100;
  });
  const power = Math.max(0, exact);
  return `${quota / 1024 ** power} ${SIZE_UNITS[power]}`;
}

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
