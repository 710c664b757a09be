import type { SqlRunner } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import { ExAppValueEntity } from './ex-app-value.entity.js';

const ROW = selectList(ExAppValueEntity, 'v', ['id', 'key', 'value', 'valueSealed', 'sensitive']);

export type ValueRow = RowOf<typeof ROW>;

/** The owner of values: an app, or one of its users; `userId` is empty for the app itself. */
export type OwnerKey = Readonly<Pick<ExAppValueEntity, 'appId' | 'userId'>>;

/** Both forms are passed, because only the statement knows whether a stored value is sensitive. */
interface NewValue {
  readonly key: string;
  readonly value: string | null;
  readonly valueSealed: Uint8Array | null;
  /** Null keeps the stored flag; false for a new value. */
  readonly sensitive: boolean | null;
}

/** @returns undefined if there is no such app */
export async function setValue(
  runner: SqlRunner,
  { appId, userId }: OwnerKey,
  { key, value, valueSealed, sensitive }: NewValue,
): Promise<ValueRow | undefined> {
  const [row] = await runner.query<ValueRow>(
    `insert into ex_app_value as v (app_id, user_id, key, value, value_sealed, sensitive)
     select app_id, $2, $3, case when $6 then null else $4 end, case when $6 then $5::bytea end,
            coalesce($6, false)
       from ex_app where app_id = $1
     on conflict (app_id, user_id, key) do update set
       value = case when coalesce($6, v.sensitive) then null else $4 end,
       value_sealed = case when coalesce($6, v.sensitive) then $5::bytea end,
       sensitive = coalesce($6, v.sensitive)
     returning ${ROW}`,
    [appId, userId, key, value, valueSealed, sensitive],
  );
  return row;
}

/** Values that exist, each once, in the order of `keys`. */
export async function listValuesByKey(
  runner: SqlRunner,
  { appId, userId }: OwnerKey,
  keys: readonly string[],
): Promise<ValueRow[]> {
  return runner.query<ValueRow>(
    `select ${ROW} from ex_app_value v
      where app_id = $1 and user_id = $2 and key = any($3)
      order by array_position($3::text[], key)`,
    [appId, userId, keys],
  );
}
