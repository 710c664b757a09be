import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { AvatarEntity } from './avatar.entity.js';

const ROW = selectList(AvatarEntity, 'a', ['mediaType', 'digest']);

/** A picture; `bytes` is null when the caller has it in its cache. */
export type StoredAvatar = RowOf<typeof ROW> & { readonly bytes: Buffer | null };

/** @param knownDigests pictures whose bytes need not be read */
export async function findAvatar(
  runner: SqlRunner,
  userId: string,
  knownDigests: readonly string[],
): Promise<StoredAvatar | undefined> {
  const [row] = await runner.query<StoredAvatar>(
    `select ${ROW}, case when a.digest = any($2) then null else a.bytes end as bytes
       from avatar a where a.user_id = $1`,
    [userId, knownDigests],
  );
  return row;
}
