import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { AccountAlreadyExists } from '../platform.errors.js';
import { AccountEntity } from './account.entity.js';

/** An account as a log-in needs it. */
export interface AccountRow {
  readonly userId: string;
  readonly displayName: string;
  readonly isAdmin: boolean;
  readonly disabled: boolean;
  readonly passwordHash: string;
  /** Unix seconds; 0 before the first log-in. */
  readonly lastLoginSeconds: number;
}

export interface NewAccount {
  readonly userId: string;
  readonly displayName: string;
  readonly passwordHash: string;
  readonly isAdmin: boolean;
}

/** Any fixed number: every process that may create the first account asks for the same lock. */
const FIRST_ACCOUNT_LOCK = 4_706_002;

/** The columns of `account a` that make an `AccountRow`. */
export const ACCOUNT_COLUMNS = `
  a.user_id as "userId", a.display_name as "displayName", a.is_admin as "isAdmin",
  a.disabled_at is not null as disabled, a.password_hash as "passwordHash",
  coalesce(floor(extract(epoch from a.last_login_at)), 0)::bigint as "lastLoginSeconds"`;

@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  /** Runs with every request; one row by primary key. */
  async find(userId: string): Promise<AccountRow | null> {
    const [row] = await this.database.query<AccountRow>(
      `select ${ACCOUNT_COLUMNS} from account a where a.user_id = $1`,
      [userId],
    );
    return row ?? null;
  }

  /** Disabled ones too, by user id. */
  async list(): Promise<AccountRow[]> {
    return this.database.query<AccountRow>(
      `select ${ACCOUNT_COLUMNS} from account a order by a.user_id collate "C"`,
    );
  }

  async hasAny(): Promise<boolean> {
    return (await this.database.em.count(AccountEntity)) > 0;
  }

  /** @throws AccountAlreadyExists */
  async add(account: NewAccount): Promise<void> {
    try {
      await this.database.em.insert(AccountEntity, account);
    } catch (error) {
      if (error instanceof UniqueConstraintViolationException) {
        throw new AccountAlreadyExists(account.userId);
      }
      throw error;
    }
  }

  /**
   * Adds the account unless there is any. Processes that start together take turns.
   *
   * @returns whether it was added
   */
  async addFirst(account: NewAccount): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock($1)', [FIRST_ACCOUNT_LOCK]);
      if ((await tx.em.count(AccountEntity)) > 0) {
        return false;
      }
      await tx.em.insert(AccountEntity, account);
      return true;
    });
  }

  /** @returns false when there is no such account; so do the other changes */
  async changePasswordHash(userId: string, passwordHash: string): Promise<boolean> {
    return this.#change(userId, { passwordHash });
  }

  async changeDisabledAt(userId: string, disabledAt: Date | null): Promise<boolean> {
    return this.#change(userId, { disabledAt });
  }

  async changeLastLogin(userId: string, lastLoginAt: Date): Promise<boolean> {
    return this.#change(userId, { lastLoginAt });
  }

  async delete(userId: string): Promise<boolean> {
    return (await this.database.em.nativeDelete(AccountEntity, { userId })) > 0;
  }

  async #change(
    userId: string,
    values: { passwordHash?: string; disabledAt?: Date | null; lastLoginAt?: Date },
  ): Promise<boolean> {
    return (await this.database.em.nativeUpdate(AccountEntity, { userId }, values)) > 0;
  }
}
