import { entityOf, p } from '../../../database/entity-of.js';

/** Which reader a user is. Stays on the coordinator when readers are distributed. */
export class ReaderUserEntity extends entityOf('reader_user', {
  userId: p.text().primary(),
  readerId: p.bigint('number'),
  /** As `ReaderEntity.watchedUntil`, for changes of sources. */
  watchedUntil: p.datetime().strictNullable(),
}) {}
