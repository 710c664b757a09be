import { entityOf, p } from '../../../database/entity-of.js';

/** The answer of an administrator, once for the installation, that external apps are trusted. */
export class AppTrustAnswerEntity extends entityOf('app_trust_answer', {
  id: p.integer().primary().default(1),
  /** Null for the command line, and after the account was deleted. */
  userId: p.text().strictNullable(),
  answeredAt: p.datetime().defaultRaw('now()'),
}) {}
