import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../common/secrets/secret-box.js';
import { Database } from '../../database/database.js';
import { entityOf, p } from '../../database/entity-of.js';
import { lockLimit } from '../../database/lock-limit.js';
import { measureRows, type MeasuredRows } from '../../database/measure-rows.js';
import { type RowOf, selectList } from '../../database/select-list.js';

/** A configuration value of an app, or a preference of one of its users. */
export class ExAppValueEntity extends entityOf('ex_app_value', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  appId: p.text(),
  /** Empty for a configuration value of the app itself. */
  userId: p.text(),
  key: p.text(),
  /** Null if sensitive. */
  value: p.text().strictNullable(),
  /** The encrypted value; null unless sensitive. */
  valueSealed: p.blob().strictNullable(),
  sensitive: p.boolean().default(false),
}) {}

const ROW = selectList(ExAppValueEntity, 'v', ['id', 'key', 'value', 'valueSealed', 'sensitive']);

type ValueRow = RowOf<typeof ROW>;

export interface ValueOwner {
  readonly appId: string;
  readonly userId?: string;
}

interface NewValue {
  readonly key: string;
  readonly value: string;
  readonly sensitive: boolean | undefined;
}

export interface StoredValue {
  readonly id: number;
  readonly key: string;
  readonly value: string;
  /** Encrypted at rest and masked for operators. */
  readonly sensitive: boolean;
}

/** Configuration values and preferences. Encrypts and decrypts sensitive ones. */
@Injectable()
export class ValuesRepository {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {}

  /**
   * @param sensitive undefined keeps the stored flag; false for a new value
   * @param assertRoom called with the size of the owner's other values; may throw
   * @returns null if there is no such app
   */
  async set(
    owner: ValueOwner,
    { key, value, sensitive }: NewValue,
    assertRoom: (others: MeasuredRows) => void,
  ): Promise<StoredValue | null> {
    const { appId, userId } = keyOf(owner);
    // Both forms are passed, because only the statement knows whether a stored value is sensitive.
    const plain = sensitive === true ? null : value;
    const sealed = sensitive === false ? null : this.secrets.seal(value, sealedFor(owner, key));
    const [row] = await this.database.transaction(async (tx) => {
      await lockLimit(tx, 'values-per-app', JSON.stringify([appId, userId]));
      assertRoom(
        await measureRows(
          tx,
          'coalesce(octet_length(value), octet_length(value_sealed))',
          'ex_app_value where app_id = $1 and user_id = $2 and key <> $3',
          [appId, userId, key],
        ),
      );
      return tx.query<ValueRow>(
        `insert into ex_app_value as v (app_id, user_id, key, value, value_sealed, sensitive)
         select app_id, $2, $3, case when $6 then null else $4 end, case when $6 then $5::bytea end,
                coalesce($6, false)
           from ex_app where app_id = $1
         on conflict (app_id, user_id, key) do update set
           value = case when coalesce($6, v.sensitive) then null else $4 end,
           value_sealed = case when coalesce($6, v.sensitive) then $5::bytea end,
           sensitive = coalesce($6, v.sensitive)
         returning ${ROW}`,
        [appId, userId, key, plain, sealed, sensitive ?? null],
      );
    });
    return row === undefined ? null : this.#open(owner, row);
  }

  /** Values that exist, each once, in the order of `keys`. */
  async get(owner: ValueOwner, keys: readonly string[]): Promise<StoredValue[]> {
    const { appId, userId } = keyOf(owner);
    const rows = await this.database.query<ValueRow>(
      `select ${ROW} from ex_app_value v
        where app_id = $1 and user_id = $2 and key = any($3)
        order by array_position($3::text[], key)`,
      [appId, userId, keys],
    );
    return rows.map((row) => this.#open(owner, row));
  }

  /** All values of an owner, by key. */
  async list(owner: ValueOwner): Promise<StoredValue[]> {
    const rows = await this.database.entities((em) =>
      em.find(ExAppValueEntity, keyOf(owner), {
        orderBy: { key: 'asc' },
      }),
    );
    return rows.map((row) => this.#open(owner, row));
  }

  /** Ids of the apps that store something for the user. */
  async appsOf(userId: string): Promise<string[]> {
    const rows = await this.database.query<{ appId: string }>(
      'select distinct app_id as "appId" from ex_app_value where user_id = $1 order by 1',
      [userId],
    );
    return rows.map(({ appId }) => appId);
  }

  /** @returns how many existed */
  async remove(owner: ValueOwner, keys: readonly string[]): Promise<number> {
    return this.database.entities((em) =>
      em.nativeDelete(ExAppValueEntity, { ...keyOf(owner), key: { $in: [...keys] } }),
    );
  }

  async removeOfApp(appId: string): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(ExAppValueEntity, { appId }));
  }

  /** Deletes the values of all apps for a user. */
  async removeOfUser(userId: string): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(ExAppValueEntity, { userId }));
  }

  /** Sensitive values of all apps and users that were encrypted with another key. */
  async lost(): Promise<{ readonly id: number; readonly name: string }[]> {
    const rows = await this.database.entities((em) =>
      em.find(
        ExAppValueEntity,
        { sensitive: true },
        { orderBy: { appId: 'asc', userId: 'asc', key: 'asc' } },
      ),
    );
    return rows
      .filter(
        ({ key, valueSealed, ...owner }) =>
          valueSealed !== null && !this.secrets.opens(valueSealed, sealedFor(owner, key)),
      )
      .map(({ id, appId, userId, key }) => ({
        id,
        name: userId === '' ? `${appId} ${key}` : `${appId} ${key} of ${userId}`,
      }));
  }

  async removeByIds(ids: readonly number[]): Promise<void> {
    await this.database.entities((em) =>
      em.nativeDelete(ExAppValueEntity, { id: { $in: [...ids] } }),
    );
  }

  #open(owner: ValueOwner, { id, key, value, valueSealed, sensitive }: ValueRow): StoredValue {
    const opened =
      valueSealed === null ? value : this.secrets.open(valueSealed, sealedFor(owner, key));
    return { id, key, value: opened ?? '', sensitive };
  }
}

/** `userId` is empty for the app itself. */
function keyOf({ appId, userId = '' }: ValueOwner): Required<ValueOwner> {
  return { appId, userId };
}

function sealedFor({ appId, userId = '' }: ValueOwner, key: string): string {
  return JSON.stringify(['value of an external app', appId, userId, key]);
}
