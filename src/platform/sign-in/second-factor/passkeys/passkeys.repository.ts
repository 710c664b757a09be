import { Injectable } from '@nestjs/common';
import { Database } from '../../../../database/database.js';
import { FactorChangesRepository } from '../factor-changes.repository.js';
import type { PasskeyUse } from './passkey-answers.js';
import { PasskeyEntity } from './passkey.entity.js';
import {
  addPasskey,
  findPasskey,
  notePasskeyUse,
  type NamedPasskey,
  type OwnedPasskey,
} from './passkeys.sql.js';

export type { OwnedPasskey };

/** A passkey as its owner sees it. */
export type ListedPasskey = Pick<
  PasskeyEntity,
  'id' | 'name' | 'rpId' | 'credentialId' | 'transports' | 'createdAt' | 'lastUsedAt'
>;

const LISTED = [
  'id',
  'name',
  'rpId',
  'credentialId',
  'transports',
  'createdAt',
  'lastUsedAt',
] as const;

/** Passkeys, and in the account whether there is a second factor. */
@Injectable()
export class PasskeysRepository {
  constructor(
    private readonly database: Database,
    private readonly changes: FactorChangesRepository,
  ) {}

  /** Oldest first. */
  async list(userId: string): Promise<ListedPasskey[]> {
    return this.database.entities((em) =>
      em.find(
        PasskeyEntity,
        { userId },
        { fields: LISTED, orderBy: { id: 'asc' }, disableIdentityMap: true },
      ),
    );
  }

  /** @returns null for an unknown one */
  async find(credentialId: Buffer): Promise<OwnedPasskey | null> {
    return (await findPasskey(this.database, credentialId)) ?? null;
  }

  /**
   * Adds the passkey, and recovery codes if the user has none.
   *
   * @param assertRoom called with the number of passkeys that the user has
   * @returns null if a passkey with this credential id exists; whether the recovery codes are now
   *   those given
   */
  async add(
    userId: string,
    passkey: NamedPasskey,
    codeHashes: Buffer[],
    assertRoom: (stored: number) => void,
  ): Promise<{ readonly hasNewCodes: boolean } | null> {
    return this.changes.make(userId, async (tx) => {
      assertRoom(await tx.em.count(PasskeyEntity, { userId }));
      if (!(await addPasskey(tx, userId, passkey))) {
        return null;
      }
      return { hasNewCodes: await this.changes.addMissingCodes(tx, userId, codeHashes) };
    });
  }

  /** @returns false when the user has no such passkey */
  async rename(userId: string, id: number, name: string): Promise<boolean> {
    const changed = await this.database.entities((em) =>
      em.nativeUpdate(PasskeyEntity, { id, userId }, { name }),
    );
    return changed > 0;
  }

  /** @returns the name; null when the user has no such passkey */
  async remove(userId: string, id: number): Promise<string | null> {
    return this.changes.make(userId, async (tx) => {
      const found = await tx.em.findOne(PasskeyEntity, { id, userId }, { fields: ['name'] });
      await tx.em.nativeDelete(PasskeyEntity, { id, userId });
      return found?.name ?? null;
    });
  }

  /** @returns false if the answer was used before, or the passkey was copied */
  async noteUse(passkeyId: number, use: PasskeyUse, now: Date): Promise<boolean> {
    return notePasskeyUse(this.database, passkeyId, use, now);
  }
}
