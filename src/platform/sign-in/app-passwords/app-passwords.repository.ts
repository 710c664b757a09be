import type { FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { RememberedLogins } from '../passwords/remembered-logins.js';
import { AppPasswordEntity } from './app-password.entity.js';
import {
  addOfProgram,
  countAppPasswords,
  deleteAppPassword,
  findOwner,
  findOwnerOfFeverKey,
  removeExpired,
  type AppPasswordOwner,
  type ExpiredAppPassword,
  type NewProgramToken,
} from './app-passwords.sql.js';

export type { AppPasswordOwner };

type NewAppPassword = Pick<
  AppPasswordEntity,
  'name' | 'mayAdminister' | 'tokenHash' | 'feverKeyHash' | 'scope' | 'expiresAt'
>;

type ListedAppPassword = Pick<
  AppPasswordEntity,
  | 'id'
  | 'name'
  | 'mayAdminister'
  | 'feverKeyHash'
  | 'scope'
  | 'expiresAt'
  | 'createdAt'
  | 'lastUsedAt'
>;

/** What depends on the token of an app password. */
type TokenColumns = Pick<AppPasswordEntity, 'tokenHash' | 'sealedToken' | 'feverKeyHash'>;

/** The app password of a program. */
export type ProgramToken = Pick<AppPasswordEntity, 'id' | 'tokenHash' | 'expiresAt'> & {
  readonly sealedToken: Buffer;
};

/** App passwords, stored as hashes. */
@Injectable()
export class AppPasswordsRepository {
  constructor(
    private readonly database: Database,
    private readonly remembered: RememberedLogins,
  ) {}

  /** Runs with every request that sends an app password. */
  async findOwner(tokenHash: Buffer): Promise<AppPasswordOwner | null> {
    return (await findOwner(this.database, tokenHash)) ?? null;
  }

  /** Runs with each request of the Fever API. */
  async findOwnerOfFeverKey(keyHash: Buffer): Promise<AppPasswordOwner | null> {
    return (await findOwnerOfFeverKey(this.database, keyHash)) ?? null;
  }

  /** Counts up to `most`. */
  async count(userId: string, most: number): Promise<number> {
    return countAppPasswords(this.database, userId, most);
  }

  /** @returns the id */
  async add(userId: string, appPassword: NewAppPassword): Promise<number> {
    return this.database.entities((em) => em.insert(AppPasswordEntity, { userId, ...appPassword }));
  }

  /** @returns false when the user has one for the program already */
  async addOfProgram(userId: string, token: NewProgramToken): Promise<boolean> {
    return addOfProgram(this.database, userId, token);
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
          fields: [
            'id',
            'name',
            'mayAdminister',
            'feverKeyHash',
            'scope',
            'expiresAt',
            'createdAt',
            'lastUsedAt',
          ],
          orderBy: { id: 'asc' },
          disableIdentityMap: true,
        },
      ),
    );
  }

  async changeLastUsed(id: number, lastUsedAt: Date): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(AppPasswordEntity, { id }, { lastUsedAt }),
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
    const name = await deleteAppPassword(this.database, userId, id);
    this.remembered.forget(userId);
    return name ?? null;
  }

  /** Removes at most `most` whose time is over. */
  async removeExpired(now: Date, most: number): Promise<ExpiredAppPassword[]> {
    const removed = await removeExpired(this.database, now, most);
    for (const { userId } of removed) {
      this.remembered.forget(userId);
    }
    return removed;
  }

  async #findOne(where: FilterQuery<AppPasswordEntity>) {
    return this.database.entities((em) =>
      em.findOne(AppPasswordEntity, where, {
        fields: ['id', 'tokenHash', 'sealedToken', 'feverKeyHash', 'expiresAt'],
        disableIdentityMap: true,
      }),
    );
  }
}
