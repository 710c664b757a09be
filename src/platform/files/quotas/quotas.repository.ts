import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { FileQuotaEntity } from './file-quota.entity.js';
import { findQuota, type QuotaRow } from './quotas.sql.js';

/** Storage quotas of single accounts. */
@Injectable()
export class QuotasRepository {
  constructor(private readonly database: Database) {}

  /** @returns undefined when the quota of the settings holds */
  async find(userId: string, runner: SqlRunner = this.database): Promise<QuotaRow | undefined> {
    return findQuota(runner, userId);
  }

  /** Users for whom the quota of the settings holds are missing. */
  async list(userIds: readonly string[]): Promise<QuotaRow[]> {
    return this.database.entities((em) =>
      em.find(FileQuotaEntity, { userId: { $in: [...userIds] } }, { disableIdentityMap: true }),
    );
  }

  /** @param quotaBytes null for no limit */
  async set(userId: string, quotaBytes: number | null): Promise<void> {
    await this.database.entities((em) => em.upsert(FileQuotaEntity, { userId, quotaBytes }));
  }

  /** The quota of the settings holds again. */
  async remove(userId: string): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(FileQuotaEntity, { userId }));
  }
}
