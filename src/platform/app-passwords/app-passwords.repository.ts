import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { RememberedLogins } from '../passwords/remembered-logins.js';
import { AppPasswordEntity } from './app-password.entity.js';
import {
  countAppPasswords,
  deleteAppPassword,
  findOwner,
  type AppPasswordOwner,
} from './app-passwords.sql.js';

export type { AppPasswordOwner };

type NewAppPassword = Pick<AppPasswordEntity, 'name' | 'mayAdminister'>;

type ListedAppPassword = Pick<
  AppPasswordEntity,
  'id' | 'name' | 'mayAdminister' | 'createdAt' | 'lastUsedAt'
>;

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

  /** Counts up to `most`. */
  async count(userId: string, most: number): Promise<number> {
    return countAppPasswords(this.database, userId, most);
  }

  /** @returns the id */
  async add(
    userId: string,
    { name, mayAdminister }: NewAppPassword,
    tokenHash: Buffer,
  ): Promise<number> {
    return this.database.entities((em) =>
      em.insert(AppPasswordEntity, { userId, name, mayAdminister, tokenHash }),
    );
  }

  /** Oldest first. */
  async list(userId: string): Promise<ListedAppPassword[]> {
    return this.database.entities((em) =>
      em.find(
        AppPasswordEntity,
        { userId },
        {
          fields: ['id', 'name', 'mayAdminister', 'createdAt', 'lastUsedAt'],
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

  /** @returns false when the app password no longer exists */
  async changeTokenHash(userId: string, id: number, tokenHash: Buffer): Promise<boolean> {
    const changed = await this.database.entities((em) =>
      em.nativeUpdate(AppPasswordEntity, { id, userId }, { tokenHash }),
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
}
