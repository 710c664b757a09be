import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { lockAccount } from '../../accounts/users/accounts.sql.js';
import { RememberedLogins } from '../../accounts/users/remembered-logins.provider.js';
import { RecoveryCodeEntity } from './second-factor.entities.js';

/** Changes second factors of any kind, and the account's flag for them. */
@Injectable()
export class FactorChangesRepository {
  constructor(
    private readonly database: Database,
    private readonly remembered: RememberedLogins,
  ) {}

  /** Runs in a transaction. Changes of one user are serialised. */
  async make<Result>(userId: string, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    try {
      return await this.database.transaction(async (tx) => {
        await lockAccount(tx, userId);
        const result = await work(tx);
        await this.#note(tx, userId);
        return result;
      });
    } finally {
      this.remembered.forget(userId);
    }
  }

  /** @returns false if the user has recovery codes, which remain */
  async addMissingCodes(tx: Transaction, userId: string, codeHashes: Buffer[]): Promise<boolean> {
    if ((await tx.em.count(RecoveryCodeEntity, { userId })) > 0) {
      return false;
    }
    await this.addCodes(tx, userId, codeHashes);
    return true;
  }

  async addCodes(tx: Transaction, userId: string, codeHashes: Buffer[]): Promise<void> {
    await tx.em.insertMany(
      RecoveryCodeEntity,
      codeHashes.map((codeHash) => ({ userId, codeHash })),
    );
  }

  /** Recovery codes without a factor are removed. */
  async #note(tx: SqlRunner, userId: string): Promise<void> {
    await tx.query(
      `update account a set has_second_factor =
         exists (select from totp_factor f where f.user_id = $1 and f.confirmed_at is not null)
           or exists (select from passkey p where p.user_id = $1)
        where a.user_id = $1`,
      [userId],
    );
    await tx.query(
      `delete from recovery_code c using account a
        where c.user_id = $1 and a.user_id = $1 and not a.has_second_factor`,
      [userId],
    );
  }
}
