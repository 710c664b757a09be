import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { UserPreferenceEntity } from './user-preference.entity.js';

const ROW = selectList(UserPreferenceEntity, 'user_preference', ['chosen', 'version']);

/** Locks the row of an area until the end of the transaction; adds it first if there is none. */
export async function lockPreferences(
  tx: SqlRunner,
  userId: string,
  area: string,
): Promise<RowOf<typeof ROW> | undefined> {
  const [row] = await tx.query<RowOf<typeof ROW>>(
    `insert into user_preference (user_id, area) values ($1, $2)
     on conflict (user_id, area) do update set version = user_preference.version
     returning ${ROW}`,
    [userId, area],
  );
  return row;
}
