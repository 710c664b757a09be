import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../../database/database.js';
import { RememberedLogins } from '../passwords/remembered-logins.js';
import { lockAccount } from '../../accounts/users/accounts.sql.js';
import { RecoveryCodeEntity } from './recovery-code.entity.js';
import { noteFactors } from './second-factors.sql.js';

/** Changes second factors of any kind, and with them what the account says about them. */
@Injectable()
export class FactorChangesRepository {
  constructor(
    private readonly database: Database,
    private readonly remembered: RememberedLogins,
  ) {}

  /** In a transaction. Changes of one user run one after the other. */
  async make<Result>(userId: string, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    try {
      return await this.database.transaction(async (tx) => {
        await lockAccount(tx, userId);
        const result = await work(tx);
        await noteFactors(tx, userId);
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
}
