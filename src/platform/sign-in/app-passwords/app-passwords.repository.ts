import type { FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { AppPasswordScope } from '../../../common/ports/app-password-scope.js';
import { Database, type Transaction } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';
import { lockLimit } from '../../../database/lock-limit.js';
import { given } from '../../../database/passed-rows.js';
import { prepared } from '../../../database/prepared.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { ACCOUNT_COLUMNS, type AccountRow } from '../../accounts/users/accounts.sql.js';
import { RememberedLogins } from '../../accounts/users/remembered-logins.provider.js';

/** A password for one program of a user, which can be revoked by itself. */
export class AppPasswordEntity extends entityOf('app_password', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  userId: p.text(),
  name: p.text(),
  /** SHA-256 of the token. */
  tokenHash: p.blob().$type<Buffer>(),
  /** Gives the program the administrator rights of its user. */
  mayAdminister: p.boolean().default(false),
  /** Lookup key of the program that got it for the account password; unique per user. */
  program: p.text().strictNullable(),
  /** The token; only with `program`. */
  sealedToken: p.blob().$type<Buffer>().strictNullable(),
  /** SHA-256 of the key of the Fever API; null without one. */
  feverKeyHash: p.blob().$type<Buffer>().strictNullable(),
  scope: p.text().$type<AppPasswordScope>().default('everything'),
  /** Null: until it is revoked. */
  expiresAt: p.datetime().strictNullable(),
  createdAt: p.datetime().defaultRaw('now()'),
  lastUsedAt: p.datetime().strictNullable(),
}) {}

type NewAppPassword = Pick<
  AppPasswordEntity,
  'name' | 'mayAdminister' | 'tokenHash' | 'feverKeyHash' | 'scope' | 'expiresAt'
>;

const LISTED = [
  'id',
  'name',
  'mayAdminister',
  'feverKeyHash',
  'scope',
  'expiresAt',
  'createdAt',
  'lastUsedAt',
] as const;

type ListedAppPassword = Pick<AppPasswordEntity, (typeof LISTED)[number]>;

/** Columns that depend on the token of an app password. */
type TokenColumns = Pick<AppPasswordEntity, 'tokenHash' | 'sealedToken' | 'feverKeyHash'>;

export type ProgramToken = Pick<AppPasswordEntity, 'id' | 'tokenHash' | 'expiresAt'> & {
  readonly sealedToken: Buffer;
};

const RIGHTS = selectList(AppPasswordEntity, 't', ['mayAdminister', 'scope']);

export type AppPasswordOwner = AccountRow &
  RowOf<typeof RIGHTS> & {
    readonly appPasswordId: number;
    /** Unix seconds; 0 before the first use. */
    readonly lastUsedSeconds: number;
    /** Unix seconds; null: until it is revoked. */
    readonly expiresSeconds: number | null;
  };

/** An app password for the program of a lookup key. */
interface NewProgramToken {
  readonly program: string;
  readonly name: string;
  readonly tokenHash: Buffer;
  readonly sealedToken: Buffer;
  readonly expiresAt: Date | null;
}

/** None while the owner leaves: programs stop, and work again if the account is kept. */
const OWNER = `select ${ACCOUNT_COLUMNS}, ${RIGHTS}, t.id as "appPasswordId",
     coalesce(floor(extract(epoch from t.last_used_at)), 0)::bigint as "lastUsedSeconds",
     extract(epoch from t.expires_at)::float8 as "expiresSeconds"
   from app_password t join account a on a.user_id = t.user_id and a.leaves_at is null`;

const FIND_OWNER = prepared('find-owner-of-app-password', `${OWNER} where t.token_hash = $1`);

export const FIND_OWNER_OF_FEVER_KEY = prepared(
  'find-owner-of-fever-key',
  `${OWNER} where t.fever_key_hash = $1`,
);

/** An expired app password. */
type ExpiredAppPassword = Pick<AppPasswordEntity, 'userId' | 'name'>;

const USES = { id: 'bigint', at: 'timestamptz' };

/** App passwords, stored as hashes. */
@Injectable()
export class AppPasswordsRepository {
  constructor(
    private readonly database: Database,
    private readonly remembered: RememberedLogins,
  ) {}

  /** Runs with nearly every request that sends an app password; one row by the index of `token_hash`. */
  async findOwner(tokenHash: Buffer): Promise<AppPasswordOwner | null> {
    const [row] = await this.database.query<AppPasswordOwner>(FIND_OWNER, [tokenHash]);
    return row ?? null;
  }

  /** Runs with each request of the Fever API; one row by the index of `fever_key_hash`. */
  async findOwnerOfFeverKey(keyHash: Buffer): Promise<AppPasswordOwner | null> {
    const [row] = await this.database.query<AppPasswordOwner>(FIND_OWNER_OF_FEVER_KEY, [keyHash]);
    return row ?? null;
  }

  /**
   * @param assertRoom called with the number of app passwords, this one included; may throw, as in
   *   `addOfProgram`
   * @returns the id
   */
  async add(
    userId: string,
    appPassword: NewAppPassword,
    assertRoom: (stored: number) => void,
  ): Promise<number> {
    return this.#adding(userId, assertRoom, ({ em }) =>
      em.insert(AppPasswordEntity, { userId, ...appPassword }),
    );
  }

  /**
   * Adds the app password of a program, for the feed reader alone.
   *
   * @returns false when the user has one for the program already
   */
  async addOfProgram(
    userId: string,
    { program, name, tokenHash, sealedToken, expiresAt }: NewProgramToken,
    assertRoom: (stored: number) => void,
  ): Promise<boolean> {
    return this.#adding(userId, assertRoom, async (tx) => {
      const rows = await tx.query(
        `insert into app_password (user_id, name, token_hash, program, sealed_token, expires_at, scope)
         values ($1, $2, $3, $4, $5, $6, 'reader')
         on conflict (user_id, program) where program is not null do nothing
         returning id`,
        [userId, name, tokenHash, program, sealedToken, expiresAt],
      );
      return rows.length > 0;
    });
  }

  /** @returns null when the user has none for the program */
  async findOfProgram(userId: string, program: string): Promise<ProgramToken | null> {
    const found = await this.#findOne({ userId, program });
    return found?.sealedToken ? { ...found, sealedToken: found.sealedToken } : null;
  }

  /** Oldest first. */
  async list(userId: string): Promise<ListedAppPassword[]> {
    return this.database.entities((em) =>
      em.find(
        AppPasswordEntity,
        { userId },
        {
          fields: LISTED,
          orderBy: { id: 'asc' },
        },
      ),
    );
  }

  /** As `changeLastLogins` of accounts. */
  async changeLastUsed(ids: readonly number[], times: readonly Date[]): Promise<void> {
    await this.database.query(
      `with ${given('use', USES, 1)}, free as (
         select id from app_password where id = any ($1) order by id for no key update skip locked
       )
       update app_password set last_used_at = greatest(app_password.last_used_at, use.at)
         from free join use using (id) where app_password.id = free.id`,
      [ids, times],
    );
  }

  /** @returns null when the user has no such app password */
  async findTokenOf(userId: string, id: number): Promise<TokenColumns | null> {
    return this.#findOne({ userId, id });
  }

  /**
   * Replaces the token, unless another process did so first.
   *
   * @param formerHash of the token that is replaced
   * @returns false when the app password no longer exists, or no longer has that token
   */
  async changeToken(
    userId: string,
    id: number,
    formerHash: Buffer,
    columns: TokenColumns,
  ): Promise<boolean> {
    const changed = await this.database.entities((em) =>
      em.nativeUpdate(AppPasswordEntity, { id, userId, tokenHash: formerHash }, columns),
    );
    this.remembered.forget(userId);
    return changed > 0;
  }

  /** @returns the name; null when the user has no such app password */
  async delete(userId: string, id: number): Promise<string | null> {
    const [row] = await this.database.query<Pick<AppPasswordEntity, 'name'>>(
      'delete from app_password where user_id = $1 and id = $2 returning name',
      [userId, id],
    );
    this.remembered.forget(userId);
    return row?.name ?? null;
  }

  /** @returns how many there were */
  async deleteAll(userId: string): Promise<number> {
    const count = await this.database.entities((em) =>
      em.nativeDelete(AppPasswordEntity, { userId }),
    );
    this.remembered.forget(userId);
    return count;
  }

  /** Removes at most `most` expired ones; uses the index of `expires_at`. */
  async removeExpired(now: Date, most: number): Promise<ExpiredAppPassword[]> {
    const removed = await this.database.query<ExpiredAppPassword>(
      `delete from app_password where id in (
         select id from app_password where expires_at <= $1 order by expires_at limit $2
         for update skip locked)
       returning user_id as "userId", name`,
      [now, most],
    );
    for (const { userId } of removed) {
      this.remembered.forget(userId);
    }
    return removed;
  }

  async #adding<Added extends number | boolean>(
    userId: string,
    assertRoom: (stored: number) => void,
    insert: (tx: Transaction) => Promise<Added>,
  ): Promise<Added> {
    return this.database.transaction(async (tx) => {
      await lockLimit(tx, 'app-passwords-per-user', userId);
      const added = await insert(tx);
      if (added !== false) {
        assertRoom(await tx.em.count(AppPasswordEntity, { userId }));
      }
      return added;
    });
  }

  async #findOne(where: FilterQuery<AppPasswordEntity>) {
    return this.database.entities((em) =>
      em.findOne(AppPasswordEntity, where, {
        fields: ['id', 'tokenHash', 'sealedToken', 'feverKeyHash', 'expiresAt'],
      }),
    );
  }
}
