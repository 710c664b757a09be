import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { AccountEntity } from '../../accounts/users/account.entity.js';
import { FactorChangesRepository } from './factor-changes.repository.js';
import { PasskeyEntity, RecoveryCodeEntity, TotpFactorEntity } from './second-factor.entities.js';

type TotpFactor = Pick<TotpFactorEntity, 'sealedSecret' | 'confirmedAt'>;

/** Second factors, and the account's flag for them. */
@Injectable()
export class SecondFactorsRepository {
  constructor(
    private readonly database: Database,
    private readonly changes: FactorChangesRepository,
  ) {}

  /** Includes an unconfirmed factor. */
  async findTotp(userId: string): Promise<TotpFactor | null> {
    return this.database.entities((em) =>
      em.findOne(TotpFactorEntity, { userId }, { fields: ['sealedSecret', 'confirmedAt'] }),
    );
  }

  async listTotp(): Promise<Pick<TotpFactorEntity, 'userId' | 'sealedSecret'>[]> {
    return this.database.entities((em) =>
      em.find(TotpFactorEntity, {}, { fields: ['userId', 'sealedSecret'] }),
    );
  }

  /**
   * Stores the secret of an app that is not confirmed yet; replaces one that never was.
   *
   * @returns false if the user has a confirmed one
   */
  async beginTotp(userId: string, sealedSecret: Buffer): Promise<boolean> {
    const rows = await this.database.query(
      `insert into totp_factor as f (user_id, sealed_secret) values ($1, $2)
       on conflict (user_id) do update set sealed_secret = $2 where f.confirmed_at is null
       returning 1`,
      [userId, sealedSecret],
    );
    return rows.length > 0;
  }

  /**
   * Confirms the factor, and stores recovery codes if the user has none.
   *
   * @param factor as it was read; no-op if it was replaced or confirmed concurrently
   * @param step of the code that confirmed it, which is then used
   * @returns whether it was confirmed, and whether the given recovery codes were stored
   */
  async confirmTotp(
    userId: string,
    factor: TotpFactor,
    step: number,
    { confirmedAt, codeHashes }: { readonly confirmedAt: Date; readonly codeHashes: Buffer[] },
  ): Promise<{ readonly confirmed: boolean; readonly hasNewCodes: boolean }> {
    return this.changes.make(userId, async (tx) => {
      const { sealedSecret } = factor;
      const changed = await tx.em.nativeUpdate(
        TotpFactorEntity,
        { userId, sealedSecret, confirmedAt: null },
        { confirmedAt, lastStep: step },
      );
      const confirmed = changed > 0;
      const hasNewCodes = confirmed && (await this.changes.addMissingCodes(tx, userId, codeHashes));
      return { confirmed, hasNewCodes };
    });
  }

  /** @returns false for a step that is not newer than the latest accepted one */
  async useTotpStep(userId: string, step: number): Promise<boolean> {
    const rows = await this.database.query(
      `update totp_factor set last_step = $2
        where user_id = $1 and last_step < $2 and confirmed_at is not null returning 1`,
      [userId, step],
    );
    return rows.length > 0;
  }

  /** @returns whether there was a confirmed one */
  async removeTotp(userId: string): Promise<boolean> {
    return this.changes.make(userId, async (tx) => {
      const found = await tx.em.count(TotpFactorEntity, { userId, confirmedAt: { $ne: null } });
      await tx.em.nativeDelete(TotpFactorEntity, { userId });
      return found > 0;
    });
  }

  /** @returns whether there was a confirmed one */
  async removeAll(userId: string): Promise<boolean> {
    return this.changes.make(userId, async (tx) => {
      const found = await tx.em.count(AccountEntity, { userId, hasSecondFactor: true });
      await tx.em.nativeDelete(TotpFactorEntity, { userId });
      await tx.em.nativeDelete(PasskeyEntity, { userId });
      return found > 0;
    });
  }

  /** @returns false if the user has no such code, or has used it */
  async useRecoveryCode(userId: string, codeHash: Buffer): Promise<boolean> {
    const used = await this.database.entities((em) =>
      em.nativeDelete(RecoveryCodeEntity, { userId, codeHash }),
    );
    return used > 0;
  }

  async countRecoveryCodes(userId: string): Promise<number> {
    return this.database.entities((em) => em.count(RecoveryCodeEntity, { userId }));
  }

  /** @returns false without a second factor */
  async replaceRecoveryCodes(userId: string, codeHashes: Buffer[]): Promise<boolean> {
    return this.changes.make(userId, async (tx) => {
      if ((await tx.em.count(AccountEntity, { userId, hasSecondFactor: true })) === 0) {
        return false;
      }
      await tx.em.nativeDelete(RecoveryCodeEntity, { userId });
      await this.changes.addCodes(tx, userId, codeHashes);
      return true;
    });
  }
}
