import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { SecretKeyEntity } from './secret-key.entity.js';

/** The fingerprint of the secret key with which the database was sealed. */
@Injectable()
export class SecretKeyRepository {
  constructor(private readonly database: Database) {}

  /** @returns null before the first start */
  async fingerprint(): Promise<string | null> {
    const key = await this.database.entities((em) =>
      em.findOne(SecretKeyEntity, { isOnly: true }, { disableIdentityMap: true }),
    );
    return key?.fingerprint ?? null;
  }

  /** Does nothing when there is a fingerprint: the first of several starting processes wins. */
  async acceptFirst(fingerprint: string): Promise<void> {
    await this.#upsert(fingerprint, 'ignore');
  }

  /** Overwrites the fingerprint. */
  async accept(fingerprint: string): Promise<void> {
    await this.#upsert(fingerprint, 'merge');
  }

  async #upsert(fingerprint: string, onConflictAction: 'ignore' | 'merge'): Promise<void> {
    const key = { isOnly: true, fingerprint, acceptedAt: new Date() };
    await this.database.entities((em) =>
      em.upsert(SecretKeyEntity, key, { onConflictAction, disableIdentityMap: true }),
    );
  }
}
