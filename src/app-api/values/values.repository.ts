import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../common/secrets/secret-box.js';
import { Database } from '../../database/database.js';

/** Whose values: those of an app, or those it keeps for one of its users. */
export interface ValueOwner {
  readonly appId: string;
  readonly userId?: string;
}

/** Something an external app has asked the gateway to keep. */
export interface KeptValue {
  readonly id: number;
  readonly key: string;
  readonly value: string;
  /** Whether it is for the app's eyes only: sealed at rest, and masked for the operator. */
  readonly sensitive: boolean;
}

interface ValueRow {
  readonly id: number;
  readonly key: string;
  readonly value: string | null;
  readonly valueSealed: Buffer | null;
  readonly sensitive: boolean;
}

const COLUMNS = 'v.id, v.key, v.value, v.value_sealed as "valueSealed", v.sensitive';

/** Configuration values and preferences. Sensitive ones are sealed here, and opened again. */
@Injectable()
export class ValuesRepository {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {}

  /**
   * @param sensitive undefined keeps what the value was, and makes a new one not sensitive
   * @returns null when there is no such app
   */
  async set(
    owner: ValueOwner,
    key: string,
    value: string,
    sensitive: boolean | undefined,
  ): Promise<KeptValue | null> {
    // Both forms go along, since only the statement itself knows which one the row will need.
    const [row] = await this.database.query<ValueRow>(
      `insert into ex_app_value as v (app_id, user_id, key, value, value_sealed, sensitive)
       select app_id, $2, $3, case when $6 then null else $4 end, case when $6 then $5::bytea end,
              coalesce($6, false)
         from ex_app where app_id = $1
       on conflict (app_id, user_id, key) do update set
         value = case when coalesce($6, v.sensitive) then null else $4 end,
         value_sealed = case when coalesce($6, v.sensitive) then $5::bytea end,
         sensitive = coalesce($6, v.sensitive)
       returning ${COLUMNS}`,
      [
        owner.appId,
        userIdOf(owner),
        key,
        sensitive === true ? null : value,
        sensitive === false ? null : this.secrets.seal(value, sealedFor(owner, key)),
        sensitive ?? null,
      ],
    );
    return row === undefined ? null : this.#open(owner, row);
  }

  /** Those there are, each once, in the order asked for. */
  async get(owner: ValueOwner, keys: readonly string[]): Promise<KeptValue[]> {
    const rows = await this.database.query<ValueRow>(
      `select ${COLUMNS} from ex_app_value v
        where app_id = $1 and user_id = $2 and key = any($3)
        order by array_position($3::text[], key)`,
      [owner.appId, userIdOf(owner), keys],
    );
    return rows.map((row) => this.#open(owner, row));
  }

  /** How many values an owner has besides one, and how much room they take as they are stored. */
  async measure(
    owner: ValueOwner,
    exceptKey: string,
  ): Promise<{ readonly count: number; readonly bytes: number }> {
    const [row] = await this.database.query<{ count: number; bytes: number }>(
      `select count(*)::int as count,
              coalesce(sum(coalesce(pg_column_size(value), pg_column_size(value_sealed))), 0)::bigint
                as bytes
         from ex_app_value where app_id = $1 and user_id = $2 and key <> $3`,
      [owner.appId, userIdOf(owner), exceptKey],
    );
    return row ?? { count: 0, bytes: 0 };
  }

  /** All, by key. */
  async list(owner: ValueOwner): Promise<KeptValue[]> {
    const rows = await this.database.query<ValueRow>(
      `select ${COLUMNS} from ex_app_value v where app_id = $1 and user_id = $2 order by key`,
      [owner.appId, userIdOf(owner)],
    );
    return rows.map((row) => this.#open(owner, row));
  }

  /** @returns how many there were */
  async remove(owner: ValueOwner, keys: readonly string[]): Promise<number> {
    const rows = await this.database.query(
      `delete from ex_app_value where app_id = $1 and user_id = $2 and key = any($3) returning 1`,
      [owner.appId, userIdOf(owner), keys],
    );
    return rows.length;
  }

  /** Everything that any app keeps for a user. */
  async removeOfUser(userId: string): Promise<void> {
    await this.database.query('delete from ex_app_value where user_id = $1', [userId]);
  }

  /** Sensitive values that were sealed with another key, of all apps and users. */
  async lost(): Promise<{ readonly id: number; readonly name: string }[]> {
    const rows = await this.database.query<ValueRow & { appId: string; userId: string }>(
      `select ${COLUMNS}, v.app_id as "appId", v.user_id as "userId" from ex_app_value v
        where v.sensitive order by v.app_id, v.user_id, v.key`,
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
    await this.database.query('delete from ex_app_value where id = any($1)', [ids]);
  }

  #open(owner: ValueOwner, { id, key, value, valueSealed, sensitive }: ValueRow): KeptValue {
    const opened =
      valueSealed === null ? value : this.secrets.open(valueSealed, sealedFor(owner, key));
    return { id, key, value: opened ?? '', sensitive };
  }
}

function userIdOf({ userId }: ValueOwner): string {
  return userId ?? '';
}

function sealedFor(owner: ValueOwner, key: string): string {
  return JSON.stringify(['value of an external app', owner.appId, userIdOf(owner), key]);
}
