import { countUpTo } from '../../database/count-up-to.js';
import type { SqlRunner } from '../../database/database.js';
import { prepared } from '../../database/prepared.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import { ACCOUNT_COLUMNS, type AccountRow } from '../users/accounts.sql.js';
import { AppPasswordEntity } from './app-password.entity.js';

const RIGHTS = selectList(AppPasswordEntity, 't', ['mayAdminister']);

/** An app password and its account. */
export type AppPasswordOwner = AccountRow &
  RowOf<typeof RIGHTS> & {
    readonly appPasswordId: number;
    /** Unix seconds; 0 before the first use. */
    readonly lastUsedSeconds: number;
  };

const FIND_OWNER = prepared(
  'find-owner-of-app-password',
  `select ${ACCOUNT_COLUMNS}, ${RIGHTS}, t.id as "appPasswordId",
     coalesce(floor(extract(epoch from t.last_used_at)), 0)::bigint as "lastUsedSeconds"
   from app_password t join account a on a.user_id = t.user_id
   where t.token_hash = $1`,
);

/** Runs with nearly every request that sends an app password; one row by the index of `token_hash`. */
export async function findOwner(
  runner: SqlRunner,
  tokenHash: Buffer,
): Promise<AppPasswordOwner | undefined> {
  const [row] = await runner.query<AppPasswordOwner>(FIND_OWNER, [tokenHash]);
  return row;
}

/** App passwords of a user, counted up to `most`. */
export async function countAppPasswords(
  runner: SqlRunner,
  userId: string,
  most: number,
): Promise<number> {
  return countUpTo(runner, 'app_password where user_id = $1', [userId], most);
}

/** @returns the name; undefined when the user has no such app password */
export async function deleteAppPassword(
  runner: SqlRunner,
  userId: string,
  id: number,
): Promise<string | undefined> {
  const [row] = await runner.query<Pick<AppPasswordEntity, 'name'>>(
    'delete from app_password where user_id = $1 and id = $2 returning name',
    [userId, id],
  );
  return row?.name;
}
