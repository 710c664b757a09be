import { Injectable } from '@nestjs/common';
import type { StorageQuota } from '../../../common/ports/storage-use.js';
import type { SqlRunner } from '../../../database/database.js';
import { QuotaExceeded } from '../files.errors.js';
import { FilesSettings } from '../files.settings.js';
import { QuotasRepository, type QuotaRow } from './quotas.repository.js';

/** Storage limit of each user in bytes; Infinity for none. */
@Injectable()
export class Quotas {
  constructor(
    private readonly repository: QuotasRepository,
    private readonly settings: FilesSettings,
  ) {}

  /** The quota of the settings. */
  get defaultBytes(): number {
    const { filesQuotaBytes } = this.settings;
    return filesQuotaBytes === 0 ? Infinity : filesQuotaBytes;
  }

  /** @param runner the transaction of a change, to decide within it */
  async bytesOf(userId: string, runner?: SqlRunner): Promise<number> {
    return this.inBytes(toQuota(await this.repository.find(userId, runner)));
  }

  /** The accounts' own quotas, by user id. */
  async list(userIds: readonly string[]): Promise<Map<string, StorageQuota>> {
    const rows = new Map((await this.repository.list(userIds)).map((row) => [row.userId, row]));
    return new Map(userIds.map((userId) => [userId, toQuota(rows.get(userId))]));
  }

  inBytes(quota: StorageQuota): number {
    if (quota === 'default') {
      return this.defaultBytes;
    }
    return quota === 'none' ? Infinity : quota;
  }

  /** Takes effect with the next upload; a quota below the present use removes no file. */
  async set(userId: string, quota: StorageQuota): Promise<void> {
    if (quota === 'default') {
      await this.repository.remove(userId);
      return;
    }
    await this.repository.set(userId, quota === 'none' ? null : quota);
  }

  /**
   * @param top the user's top folder
   * @param replacedBytes bytes of overwritten content
   */
  async roomFor(
    top: { readonly userId: string; readonly sizeBytes: number },
    replacedBytes = 0,
    runner?: SqlRunner,
  ): Promise<QuotaRoom> {
    const quotaBytes = await this.bytesOf(top.userId, runner);
    return new QuotaRoom(quotaBytes, Math.max(0, quotaBytes - top.sizeBytes) + replacedBytes);
  }
}

/** Bytes that a user may add. */
export class QuotaRoom {
  constructor(
    readonly quotaBytes: number,
    readonly bytes: number,
  ) {}

  /** @throws QuotaExceeded */
  assertFits(addedBytes: number): void {
    if (addedBytes > this.bytes) {
      throw this.exceeded();
    }
  }

  exceeded(): QuotaExceeded {
    return new QuotaExceeded(this.quotaBytes);
  }
}

function toQuota(row: QuotaRow | undefined): StorageQuota {
  return row === undefined ? 'default' : (row.quotaBytes ?? 'none');
}
