import { Injectable } from '@nestjs/common';
import { Database } from '../../../../database/database.js';
import { selectList, type RowOf } from '../../../../database/select-list.js';
import {
  ACCOUNT_COLUMNS,
  type AccountRow,
  MANAGED_ELSEWHERE,
} from '../../../accounts/users/accounts.sql.js';
import { FactorChangesRepository } from '../factor-changes.repository.js';
import { PasskeyEntity } from '../second-factor.entities.js';
import type { PasskeyUse, NewPasskey } from './passkey-answers.service.js';

const LISTED = [
  'id',
  'name',
  'rpId',
  'credentialId',
  'transports',
  'createdAt',
  'lastUsedAt',
] as const;

/** A passkey as its owner sees it. */
export type ListedPasskey = Pick<PasskeyEntity, (typeof LISTED)[number]>;

const KEY = selectList(PasskeyEntity, 'p', ['credentialId', 'publicKey', 'rpId', 'signatureCount']);

export type OwnedPasskey = RowOf<typeof KEY> & {
  readonly passkeyId: number;
  /** Whether a directory or an identity provider decides who may log in to the account. */
  readonly isManagedElsewhere: boolean;
  readonly account: AccountRow;
};

type NamedPasskey = NewPasskey & Pick<PasskeyEntity, 'name' | 'createdAt'>;

/** Passkeys, and the account's flag for a second factor. */
@Injectable()
export class PasskeysRepository {
  constructor(
    private readonly database: Database,
    private readonly changes: FactorChangesRepository,
  ) {}

  /** Oldest first. */
  async list(userId: string): Promise<ListedPasskey[]> {
    return this.database.entities((em) =>
      em.find(PasskeyEntity, { userId }, { fields: LISTED, orderBy: { id: 'asc' } }),
    );
  }

  /** Uses the unique index of `credential_id`. @returns null for an unknown one */
  async find(credentialId: Buffer): Promise<OwnedPasskey | null> {
    const [row] = await this.database.query<AccountRow & Omit<OwnedPasskey, 'account'>>(
      `select ${ACCOUNT_COLUMNS}, ${KEY}, p.id as "passkeyId",
              ${MANAGED_ELSEWHERE} is not distinct from 'login' as "isManagedElsewhere"
         from passkey p join account a on a.user_id = p.user_id
        where p.credential_id = $1`,
      [credentialId],
    );
    if (row === undefined) {
      return null;
    }
    const { passkeyId, publicKey, rpId, signatureCount, isManagedElsewhere, ...account } = row;
    return {
      passkeyId,
      credentialId,
      publicKey,
      rpId,
      signatureCount,
      isManagedElsewhere,
      account,
    };
  }

  /**
   * Adds the passkey, and recovery codes if the user has none.
   *
   * @param assertRoom called with the user's number of passkeys
   * @returns null if a passkey with this credential id exists; whether the given recovery codes were stored
   */
  async add(
    userId: string,
    passkey: NamedPasskey,
    codeHashes: Buffer[],
    assertRoom: (stored: number) => void,
  ): Promise<{ readonly hasNewCodes: boolean } | null> {
    return this.changes.make(userId, async (tx) => {
      assertRoom(await tx.em.count(PasskeyEntity, { userId }));
      const { credentialId, publicKey, rpId, transports, name, signatureCount, createdAt } =
        passkey;
      const rows = await tx.query(
        `insert into passkey
           (user_id, credential_id, public_key, rp_id, transports, name, signature_count, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (credential_id) do nothing returning 1`,
        [userId, credentialId, publicKey, rpId, transports, name, signatureCount, createdAt],
      );
      if (rows.length === 0) {
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

  /**
   * Records an accepted answer.
   *
   * @returns false if its challenge is not newer than the latest one's, or its count of signatures not
   *   larger: then it was used before, or the passkey was copied
   */
  async noteUse(
    passkeyId: number,
    { signatureCount, challengeMs }: PasskeyUse,
    now: Date,
  ): Promise<boolean> {
    const rows = await this.database.query(
      `update passkey set signature_count = $2, last_challenge_ms = $3, last_used_at = $4
        where id = $1 and last_challenge_ms < $3
          and (signature_count < $2 or (signature_count = 0 and $2 = 0))
        returning 1`,
      [passkeyId, signatureCount, challengeMs, now],
    );
    return rows.length > 0;
  }
}
