import { entityOf, p } from '../../../database/entity-of.js';

/** A recovery code that was not used yet. */
export class RecoveryCodeEntity extends entityOf('recovery_code', {
  userId: p.text().primary(),
  /** SHA-256. */
  codeHash: p.blob().$type<Buffer>().primary(),
}) {}
