import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';
import { prepared } from '../../../database/prepared.js';
import { selectList, type RowOf } from '../../../database/select-list.js';

/** An account's own storage quota, which overrides the default. */
export class FileQuotaEntity extends entityOf('file_quota', {
  userId: p.text().primary(),
  /** Null: no limit. */
  quotaBytes: p.bigint('number').strictNullable(),
}) {}

const QUOTA = selectList(FileQuotaEntity, 'q', ['userId', 'quotaBytes']);

export type QuotaRow = RowOf<typeof QUOTA>;

const FIND = prepared('find-quota', `select ${QUOTA} from file_quota q where q.user_id = $1`);

/** Storage quotas of single accounts. */
@Injectable()
export class QuotasRepository {
  constructor(private readonly database: Database) {}

  /**
   * Runs with every upload and every listing; one row by primary key.
   *
   * @returns undefined when the quota of the settings holds
   */
  async find(userId: string, runner: SqlRunner = this.database): Promise<QuotaRow | undefined> {
    const [row] = await runner.query<QuotaRow>(FIND, [userId]);
    return row;
  }

  /** Users for whom the quota of the settings holds are missing. */
  async list(userIds: readonly string[]): Promise<QuotaRow[]> {
    return this.database.entities((em) =>
      em.find(FileQuotaEntity, { userId: { $in: [...userIds] } }),
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
