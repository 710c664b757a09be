import type { SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { FileQuotaEntity } from './file-quota.entity.js';

const QUOTA = selectList(FileQuotaEntity, 'q', ['userId', 'quotaBytes']);

export type QuotaRow = RowOf<typeof QUOTA>;

const FIND = prepared('find-quota', `select ${QUOTA} from file_quota q where q.user_id = $1`);

/** Runs with every upload and every listing; one row by primary key. */
export async function findQuota(runner: SqlRunner, userId: string): Promise<QuotaRow | undefined> {
  const [row] = await runner.query<QuotaRow>(FIND, [userId]);
  return row;
}
