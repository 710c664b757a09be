import { entityOf, p } from '../../../database/entity-of.js';

/** The secret key that belongs to this database: one row. */
export class SecretKeyEntity extends entityOf('secret_key', {
  /** Always true: the primary key that allows one row only. */
  isOnly: p.boolean().primary().default(true),
  /** Identifies the key without revealing it. */
  fingerprint: p.text(),
  acceptedAt: p.datetime().defaultRaw('now()'),
}) {}
