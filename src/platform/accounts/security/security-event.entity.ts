import { entityOf, p } from '../../../database/entity-of.js';
import type { SecurityEventKind } from './security-event.js';

/** A login, a failed login, or a change to an account; kept for 90 days, also longer than the account. */
export class SecurityEventEntity extends entityOf('security_event', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  happenedAt: p.datetime(),
  kind: p.text().$type<SecurityEventKind>(),
  /** The affected user. */
  userId: p.text().strictNullable(),
  /** Null while the account exists; the name may be that of another account then. */
  userDeletedAt: p.datetime().strictNullable(),
  /** Kind of what it is about, besides the user: `group`, `app`. */
  subjectKind: p.text().strictNullable(),
  subjectId: p.text().strictNullable(),
  /** Client address. */
  address: p.text().strictNullable(),
  details: p.text().strictNullable(),
  /** Who caused it. */
  actorId: p.text().strictNullable(),
  actorDeletedAt: p.datetime().strictNullable(),
  /** Kind of credential of the actor. */
  credential: p.text().strictNullable(),
}) {}
