import { entityOf, p } from '../../database/entity-of.js';

/** A user of the feed reader; its row is the lock on everything that is this user's. */
export class ReaderEntity extends entityOf('reader', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  userId: p.text(),
  nextItemId: p.bigint('number').default(1),
  /** The newest stamp of any of the user's items, unix microseconds. */
  lastModifiedMicros: p.bigint('number').default(0),
  /** Changes are announced until then; null when no client ever listened. */
  watchedUntil: p.datetime().strictNullable(),
  /** Equals `lastModifiedMicros` while the counts of the user's subscriptions are right. */
  countedMicros: p.bigint('number').default(0),
  /** Whether the items have the dates of their articles; false after an upgrade. */
  itemsDated: p.boolean().default(true),
  /** Whether it is an `EarlyReaderEntity`. */
  isEarly: p.boolean().default(false),
  /** Whether each story is shown once. */
  storiesOnce: p.boolean().default(false),
  /** Articles are delivered before a client asks until then, after an import; null without one. */
  earlyUntil: p.datetime().strictNullable(),
}) {}

/** Maps users to readers. Stays on the coordinator when readers are distributed. */
export class ReaderUserEntity extends entityOf('reader_user', {
  userId: p.text().primary(),
  readerId: p.bigint('number'),
  /** Like `ReaderEntity.watchedUntil`, for changes of sources. */
  watchedUntil: p.datetime().strictNullable(),
}) {}

/** A client program's synchronisation state. */
export class ReaderClientEntity extends entityOf('reader_client', {
  readerId: p.bigint('number').primary(),
  /** `RequestingClient.key` */
  client: p.text().primary(),
  /** The newest stamp that the client has read, unix microseconds. */
  synchronisedMicros: p.bigint('number'),
  seenAt: p.datetime().defaultRaw('now()'),
  /** It reads a list page by page until then, unless it asks for another page. */
  pagingUntil: p.datetime().strictNullable(),
}) {}

/** An article that was listed again after the feed had started without it, until its delivery. */
export class LateDeliveryEntity extends entityOf('late_delivery', {
  subscriptionId: p.bigint('number').primary(),
  articleId: p.bigint('number').primary(),
  since: p.datetime().defaultRaw('now()'),
}) {}
