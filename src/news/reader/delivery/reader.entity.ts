import { entityOf, p } from '../../../database/entity-of.js';

/** A user of the feed reader; its row is the lock on everything that is this user's. */
export class ReaderEntity extends entityOf('reader', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  userId: p.text(),
  /** The id of the user's next item. */
  nextItemId: p.bigint('number').default(1),
  /** The newest stamp of any of the user's items, unix microseconds. */
  lastModifiedMicros: p.bigint('number').default(0),
  /** Changes are announced until then; null when no client ever listened. */
  watchedUntil: p.datetime().strictNullable(),
  /** Equals `lastModifiedMicros` while the counts of the user's subscriptions are right. */
  countedMicros: p.bigint('number').default(0),
  /** Whether the items have the dates of their articles; false after an upgrade. */
  itemsDated: p.boolean().default(true),
}) {}
