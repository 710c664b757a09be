import { countUpTo } from '../../../database/count-up-to.js';
import type { SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { ACCOUNT_COLUMNS, type AccountRow } from '../../accounts/users/accounts.sql.js';
import { AppPasswordEntity } from './app-password.entity.js';

const RIGHTS = selectList(AppPasswordEntity, 't', ['mayAdminister', 'scope']);

/** An app password and its account. */
export type AppPasswordOwner = AccountRow &
  RowOf<typeof RIGHTS> & {
    readonly appPasswordId: number;
    /** Unix seconds; 0 before the first use. */
    readonly lastUsedSeconds: number;
    /** Unix seconds; null: until it is revoked. */
    readonly expiresSeconds: number | null;
  };

/** An app password for the program of a lookup key. */
export interface NewProgramToken {
  readonly program: string;
  readonly name: string;
  readonly tokenHash: Buffer;
  readonly sealedToken: Buffer;
  readonly expiresAt: Date | null;
}

const OWNER = `select ${ACCOUNT_COLUMNS}, ${RIGHTS}, t.id as "appPasswordId",
     coalesce(floor(extract(epoch from t.last_used_at)), 0)::bigint as "lastUsedSeconds",
     extract(epoch from t.expires_at)::float8 as "expiresSeconds"
   from app_password t join account a on a.user_id = t.user_id`;

const FIND_OWNER = prepared('find-owner-of-app-password', `${OWNER} where t.token_hash = $1`);

const FIND_OWNER_OF_FEVER_KEY = prepared(
  'find-owner-of-fever-key',
  `${OWNER} where t.fever_key_hash = $1`,
);

/** Runs with nearly every request that sends an app password; one row by the index of `token_hash`. */
export async function findOwner(
  runner: SqlRunner,
  tokenHash: Buffer,
): Promise<AppPasswordOwner | undefined> {
  const [row] = await runner.query<AppPasswordOwner>(FIND_OWNER, [tokenHash]);
  return row;
}

/** Runs with each request of the Fever API; one row by the index of `fever_key_hash`. */
export async function findOwnerOfFeverKey(
  runner: SqlRunner,
  keyHash: Buffer,
): Promise<AppPasswordOwner | undefined> {
  const [row] = await runner.query<AppPasswordOwner>(FIND_OWNER_OF_FEVER_KEY, [keyHash]);
  return row;
}

/**
 * Adds the app password of a program, for the feed reader alone, unless the user has one for it.
 *
 * @returns whether it was added
 */
export async function addOfProgram(
  runner: SqlRunner,
  userId: string,
  { program, name, tokenHash, sealedToken, expiresAt }: NewProgramToken,
): Promise<boolean> {
  const rows = await runner.query(
    `insert into app_password (user_id, name, token_hash, program, sealed_token, expires_at, scope)
     values ($1, $2, $3, $4, $5, $6, 'reader')
     on conflict (user_id, program) where program is not null do nothing
     returning id`,
    [userId, name, tokenHash, program, sealedToken, expiresAt],
  );
  return rows.length > 0;
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

/** An app password whose time is over. */
export type ExpiredAppPassword = Pick<AppPasswordEntity, 'userId' | 'name'>;

/** Removes at most `most` expired app passwords; by the index of `expires_at`. */
export async function removeExpired(
  runner: SqlRunner,
  now: Date,
  most: number,
): Promise<ExpiredAppPassword[]> {
  return runner.query<ExpiredAppPassword>(
    `delete from app_password where id in (
       select id from app_password where expires_at <= $1 order by expires_at limit $2
       for update skip locked)
     returning user_id as "userId", name`,
    [now, most],
  );
}
