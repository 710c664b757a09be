import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';

/** The secret key that belongs to this database: one row. */
export class SecretKeyEntity extends entityOf('secret_key', {
  /** Always true: the primary key that allows one row only. */
  isOnly: p.boolean().primary().default(true),
  /** Identifies the key without revealing it. */
  fingerprint: p.text(),
  acceptedAt: p.datetime().defaultRaw('now()'),
}) {}

/** The fingerprint of the secret key with which the database was sealed. */
@Injectable()
export class SecretKeyRepository {
  constructor(private readonly database: Database) {}

  /** @returns null before the first start */
  async fingerprint(): Promise<string | null> {
    const key = await this.database.entities((em) => em.findOne(SecretKeyEntity, { isOnly: true }));
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
    await this.database.entities((em) => em.upsert(SecretKeyEntity, key, { onConflictAction }));
  }
}
