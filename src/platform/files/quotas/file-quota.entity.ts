import { entityOf, p } from '../../../database/entity-of.js';

/** The storage quota of an account for which that of the settings does not hold. */
export class FileQuotaEntity extends entityOf('file_quota', {
  userId: p.text().primary(),
  /** Null: no limit. */
  quotaBytes: p.bigint('number').strictNullable(),
}) {}
