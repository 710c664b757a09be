import { Injectable } from '@nestjs/common';
import { countUpTo } from '../../database/count-up-to.js';
import { Database } from '../../database/database.js';
import { AppPasswordEntity } from './app-password.entity.js';
import { ACCOUNT_COLUMNS, type AccountRow } from '../users/users.repository.js';

/** An app password and the account it opens. */
export interface AppPasswordOwner extends AccountRow {
  readonly appPasswordId: number;
  readonly mayAdminister: boolean;
  /** Unix seconds; 0 before the first use. */
  readonly lastUsedSeconds: number;
}

export interface NewAppPassword {
  readonly name: string;
  /** Lets its program do everything that its administrator may do in person. */
  readonly mayAdminister: boolean;
}

@Injectable()
export class AppPasswordsRepository {
  constructor(private readonly database: Database) {}

  /** Runs with every request that brings an app password; rides on the unique index of the hash. */
  async findOwner(tokenHash: Buffer): Promise<AppPasswordOwner | null> {
    const [row] = await this.database.query<AppPasswordOwner>(
      `select ${ACCOUNT_COLUMNS}, t.id as "appPasswordId", t.may_administer as "mayAdminister",
         coalesce(floor(extract(epoch from t.last_used_at)), 0)::bigint as "lastUsedSeconds"
       from app_password t join account a on a.user_id = t.user_id
       where t.token_hash = $1`,
      [tokenHash],
    );
    return row ?? null;
  }

  /** Counted no further than `most`. */
  async count(userId: string, most: number): Promise<number> {
    return countUpTo(this.database, 'app_password where user_id = $1', [userId], most);
  }

  /** @returns its id */
  async add(
    userId: string,
    { name, mayAdminister }: NewAppPassword,
    tokenHash: Buffer,
  ): Promise<number> {
    return this.database.entities((em) =>
      em.insert(AppPasswordEntity, { user: userId, name, mayAdminister, tokenHash }),
    );
  }

  /** Oldest first. */
  async list(userId: string): Promise<AppPasswordEntity[]> {
    return this.database.entities((em) =>
      em.find(AppPasswordEntity, { user: userId }, { orderBy: { id: 'asc' } }),
    );
  }

  async changeLastUsed(id: number, lastUsedAt: Date): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(AppPasswordEntity, { id }, { lastUsedAt }),
    );
  }

  /** @returns false when there is no such app password any more */
  async changeTokenHash(id: number, tokenHash: Buffer): Promise<boolean> {
    return (
      (await this.database.entities((em) =>
        em.nativeUpdate(AppPasswordEntity, { id }, { tokenHash }),
      )) > 0
    );
  }

  /** @returns its name; null when the user has no such app password */
  async delete(userId: string, id: number): Promise<string | null> {
    const [row] = await this.database.query<{ name: string }>(
      'delete from app_password where user_id = $1 and id = $2 returning name',
      [userId, id],
    );
    return row?.name ?? null;
  }
}
